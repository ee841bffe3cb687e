// emissary zoom: Zoom's Meeting SDK, which every operator fetches for themselves.
import { defineCommand } from 'citty'
import { loadConfig } from '../config.ts'
import { installZoomSdk } from '../zoom-sdk.ts'
import { complain, say } from './terminal.ts'

const install = defineCommand({
  meta: {
    name: 'install',
    description: 'Fetch Zoom’s Meeting SDK (43 MB) into ZOOM_SDK_FOLDER, and check it. Zoom’s terms apply. May be run again at any time.',
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
  meta: { name: 'zoom', description: 'Zoom’s Meeting SDK, by which bots join Zoom meetings.' },
  subCommands: { install },
})
