# Makes FOLDER/bundle by BUILDER from RECIPE; finished steps in FOLDER/work are kept.
file(REMOVE_RECURSE ${FOLDER}/bundle)
execute_process(COMMAND ${BUILDER} build ${RECIPE} --work ${FOLDER}/work --out ${FOLDER}/bundle
                COMMAND_ERROR_IS_FATAL ANY)
