# cmake --install and find_package(goldentrace).
