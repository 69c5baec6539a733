"""`torch.cuda.FloatTensor` and the other tensor types of old."""
