"""What all kernels are written in: compilation, cache, vectors, threads, memory layout. Nothing of water."""
