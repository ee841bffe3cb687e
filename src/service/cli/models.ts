// emissary models: the weights of speech recognition on this server.
import { defineCommand } from 'citty'
import { installModels } from '../../speech/models.ts'
import { loadConfig } from '../config.ts'
import { complain, say } from './terminal.ts'

const install = defineCommand({
  meta: { name: 'install', description: 'Fetch what is missing into MODELS_DIR, and check it. May be run again at any time.' },
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
  meta: { name: 'models', description: 'The weights of speech recognition on this server.' },
  subCommands: { install },
})
