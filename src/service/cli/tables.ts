// emissary tables: the tables of a platform, to be changed and given back by PLATFORM_TABLES.
import { defineCommand } from 'citty'
import { askTables, platformOf } from '../platform-tables.ts'

export const tables = defineCommand({
  meta: { name: 'tables', description: 'Print the tables of a platform, such as google-meet, or their schema.' },
  args: {
    platform: { type: 'positional', required: false, description: 'google-meet or teams' },
    schema: { type: 'boolean', description: 'Print the schema of such a file instead.' },
  },
  run({ args: { platform, schema } }) {
    const printed = schema ? askTables(['schema']) : askTables(['print', platformOf(platform ?? '')])
    if (printed === 'null') throw new Error(`There are no tables of ${platform ?? 'no platform'}. Known: google-meet, teams.`)
    process.stdout.write(`${printed}\n`)
  },
})
