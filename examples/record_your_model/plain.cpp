#include "model.h"

int main() {
  train([](const torch::nn::Module&) {});
}
