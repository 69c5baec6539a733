"""gpytorch: an exact Gaussian process in training."""

import gpytorch
from common import DEVICE, torch, train


class Regression(gpytorch.models.ExactGP):
    """A process with an RBF kernel."""

    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        """The prior."""
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


x = torch.linspace(0, 1, 20).to(DEVICE)
y = (6 * x).sin()
likelihood = gpytorch.likelihoods.GaussianLikelihood().to(DEVICE)
model = Regression(x, y, likelihood).to(DEVICE)
objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
train(model.parameters(), lambda: -objective(model(x), y))
model.eval()
with torch.no_grad():
    print(f"{likelihood(model(x[:3] + 0.01)).mean.sum().item():.4f}")
