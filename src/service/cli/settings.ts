// emissary settings: lists all settings.
import { defineCommand } from 'citty'
import { SETTINGS } from '../config.ts'

export const settings = defineCommand({
  meta: { name: 'settings', description: 'List every setting with its default.' },
  run() {
    const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length))
    for (const [name, { fallback, about }] of Object.entries(SETTINGS)) {
      process.stdout.write(`${name.padEnd(width)}  ${about}${fallback ? ` [${fallback}]` : ''}\n`)
    }
  },
})
