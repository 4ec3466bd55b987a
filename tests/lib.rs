//! Builds the simulator beside the other artifacts; see `simulator/`.
