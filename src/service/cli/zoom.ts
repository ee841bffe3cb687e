// emissary zoom: installs Zoom's Meeting SDK, which may not be redistributed.
import { defineCommand } from 'citty'
import { loadConfig } from '../config.ts'
import { installZoomSdk } from '../zoom-sdk.ts'
import { complain, say } from './terminal.ts'

const install = defineCommand({
  meta: {
    name: 'install',
    description: 'Download Zoom’s Meeting SDK (43 MB) into ZOOM_SDK_FOLDER and verify it. Zoom’s terms apply. Can be repeated.',
  },
  async run() {
    try {
      await installZoomSdk(loadConfig().zoom.sdkFolder, { onProgress: say })
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
      process.exitCode = 1
    }
  },
})

export const zoom = defineCommand({
  meta: { name: 'zoom', description: 'Zoom’s Meeting SDK, with which bots join Zoom meetings.' },
  subCommands: { install },
})
