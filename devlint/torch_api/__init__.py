"""What is known of torch, torch.cuda and torch.accelerator: tables without logic."""
