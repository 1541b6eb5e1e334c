// Precompiled for every target that links LibTorch; see hydra_use_torch_pch in HydraTargets.cmake.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>
