// emissary models: installs the models of native speech recognition.
import { defineCommand } from 'citty'
import { installModels } from '../../speech/models.ts'
import { loadConfig } from '../config.ts'
import { complain, say } from './terminal.ts'

const install = defineCommand({
  meta: { name: 'install', description: 'Download missing models into MODELS_DIR and verify them. Can be repeated.' },
  async run() {
    try {
      await installModels(loadConfig().speech.native.modelsFolder, { onProgress: say })
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
      process.exitCode = 1
    }
  },
})

export const models = defineCommand({
  meta: { name: 'models', description: 'Models of native speech recognition.' },
  subCommands: { install },
})
