// emissary recordings: processes a recording again that was given up.
import { defineCommand } from 'citty'
import type { BotId } from '../../domain/bot.ts'
import { tariffOf } from '../accounts/credits.ts'
import { retryRecording } from '../media/retry-recording.ts'
import { withRunningDatabase } from './database.ts'
import { complain, say } from './terminal.ts'

const retry = defineCommand({
  meta: { name: 'retry', description: 'Process a recording again that was given up after too many failures or crashes.' },
  args: { bot: { type: 'positional', required: true, description: 'Id of the bot.' } },
  run: ({ args }) =>
    withRunningDatabase(async (db, config) => {
      const deps = { db, tariff: tariffOf(config), onNews: () => undefined }
      if (await retryRecording(deps, args.bot as BotId, new Date())) return say(`The recording of ${args.bot} is processed again.`)
      complain(`${args.bot} has no recording that was given up. detail.Evidence of the bot names the step "process" if it was.`)
      process.exitCode = 1
    }),
})

export const recordings = defineCommand({
  meta: { name: 'recordings', description: 'Recordings after the call.' },
  subCommands: { retry },
})
