"""The devices of what owns tensors: modules, with their layers and parameters, and instances that keep a device."""
