// emissary page-rules: prints the page rules of a platform, as a template for PAGE_RULES.
import { defineCommand } from 'citty'
import { driverOf, runPageRules } from '../page-rules.ts'

/** Zoom has two drivers: by its SDK, and by its web client. */
const KNOWN = 'google-meet, teams, zoom, zoom-web'

export const pageRules = defineCommand({
  meta: { name: 'page-rules', description: 'Print the page rules of a platform, for example google-meet, or their schema.' },
  args: {
    platform: { type: 'positional', required: false, description: KNOWN },
    schema: { type: 'boolean', description: 'Print the JSON schema of the page rules instead.' },
  },
  async run({ args: { platform, schema } }) {
    const printed = await runPageRules(schema ? ['schema'] : ['print', driverOf(platform ?? '')])
    if (printed === 'null') throw new Error(`platform must be one of ${KNOWN}, not ${JSON.stringify(platform ?? '')}.`)
    process.stdout.write(`${printed}\n`)
  },
})
