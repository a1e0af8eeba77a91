"""Files to metres: loading, checking, resampling, shoreline."""
