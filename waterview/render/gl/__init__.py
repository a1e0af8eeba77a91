"""OpenGL: shaders, textures to draw into, and frames that lie on the graphics card."""
