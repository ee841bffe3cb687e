// emissary tables: prints the tables of a platform, as a template for PLATFORM_TABLES.
import { defineCommand } from 'citty'
import { driverOf, runTables } from '../platform-tables.ts'

/** Zoom has two drivers: by its SDK, and by its web client. */
const KNOWN = 'google-meet, teams, zoom, zoom-web'

export const tables = defineCommand({
  meta: { name: 'tables', description: 'Print the tables of a platform, for example google-meet, or their schema.' },
  args: {
    platform: { type: 'positional', required: false, description: KNOWN },
    schema: { type: 'boolean', description: 'Print the JSON schema of the tables instead.' },
  },
  run({ args: { platform, schema } }) {
    const printed = schema ? runTables(['schema']) : runTables(['print', driverOf(platform ?? '')])
    if (printed === 'null') throw new Error(`platform must be one of ${KNOWN}, not ${JSON.stringify(platform ?? '')}.`)
    process.stdout.write(`${printed}\n`)
  },
})
