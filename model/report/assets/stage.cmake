# cmake -DLIBRARY=<node_modules> -DOUT=<folder> -P stage.cmake: copies the plot library's bundles for embedding, and
# stops with a reason when they are missing or of another version than package.json names.
file(READ ${CMAKE_CURRENT_LIST_DIR}/package.json wanted)
foreach(package vega vega-lite vega-embed)
  set(bundle ${LIBRARY}/${package}/build/${package}.min.js)
  if(NOT EXISTS ${bundle})
    message(FATAL_ERROR "${bundle} is missing: deploy/setup.sh installs the plot library")
  endif()
  file(READ ${LIBRARY}/${package}/package.json found)
  string(JSON want GET "${wanted}" dependencies ${package})
  string(JSON got GET "${found}" version)
  if(NOT want STREQUAL got)
    message(FATAL_ERROR "${package}: got version ${got}, want ${want}: deploy/setup.sh installs it")
  endif()
  configure_file(${bundle} ${OUT}/${package}.min.js COPYONLY)
  file(TOUCH ${OUT}/${package}.min.js)  # newer than what it depends on, or it would be copied again
endforeach()
