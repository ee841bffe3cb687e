// emissary models install and emissary zoom install: fetch what is not part of the installed product.
import { defineCommand } from 'citty'
import { installModels } from '../../speech/models.ts'
import { loadConfig } from '../config.ts'
import { installZoomSdk } from '../zoom-sdk.ts'
import { failOnError, say } from './terminal.ts'

const installModelsCommand = defineCommand({
  meta: { name: 'install', description: 'Download missing models into MODELS_DIR and verify them. Can be repeated.' },
  run: () => failOnError(() => installModels(loadConfig().speech.native.modelsFolder, { onProgress: say })),
})

export const models = defineCommand({
  meta: { name: 'models', description: 'Models of native speech recognition.' },
  subCommands: { install: installModelsCommand },
})

/** Its licence forbids redistribution. */
const installZoomCommand = defineCommand({
  meta: {
    name: 'install',
    description: 'Download Zoom’s Meeting SDK (43 MB) into ZOOM_SDK_FOLDER and verify it. Zoom’s terms apply. Can be repeated.',
  },
  run: () => failOnError(() => installZoomSdk(loadConfig().zoom.sdkFolder, { onProgress: say })),
})

export const zoom = defineCommand({
  meta: { name: 'zoom', description: 'Zoom’s Meeting SDK, with which bots join Zoom meetings.' },
  subCommands: { install: installZoomCommand },
})
