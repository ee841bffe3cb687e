import { type InfiniteData, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createReceiver } from './live.ts'

type Page = { readonly bots: readonly { readonly bot_id: string; readonly status: string }[] }

/** A list of bots that is shown, and whose answers arrive when the test says so. */
function showList(read: () => Page) {
  const queries = new QueryClient()
  const answers: (() => void)[] = []
  const list = new InfiniteQueryObserver(queries, {
    queryKey: ['ws', 'bots', {}],
    queryFn() {
      const page = read()
      return new Promise<Page>((resolve) => answers.push(() => resolve(page)))
    },
    initialPageParam: '',
    getNextPageParam: () => undefined,
  })
  list.subscribe(() => undefined)
  return {
    receive: createReceiver(queries, 'ws'),
    /** Requests that an event causes are sent within two tasks. */
    async requests() {
      for (const _ of [1, 2]) await new Promise((resolve) => setTimeout(resolve))
      return answers.length
    },
    asked: (count: number) => expect.poll(() => answers.length).toBe(count),
    answer: (which: number) => answers[which]?.(),
    shown: () => (list.getCurrentResult().data as InfiniteData<Page> | undefined)?.pages.flatMap(({ bots }) => bots),
  }
}

const event = (bot_id: string, status: string) => ({ bot_id, status, event: `bot.${status}` })

test('changes the status of a listed bot without another request', async () => {
  const list = showList(() => ({ bots: [{ bot_id: 'a', status: 'Joining' }] }))
  list.answer(0)
  await expect.poll(list.shown).toHaveLength(1)
  list.receive(event('a', 'InMeeting'))
  expect(list.shown()).toEqual([{ bot_id: 'a', status: 'InMeeting' }])
  expect(await list.requests()).toBe(1)
})

test('shows a bot that was created while the first answer was on its way', async () => {
  const bots = [{ bot_id: 'a', status: 'Joining' }]
  const list = showList(() => ({ bots: [...bots] }))
  bots.push({ bot_id: 'b', status: 'Scheduled' })
  list.receive(event('b', 'Scheduled'))
  await list.asked(2)
  list.answer(0)
  list.answer(1)
  await expect.poll(list.shown).toEqual(bots)
})

test('reloads once after many events about bots that are not listed', async () => {
  const list = showList(() => ({ bots: [{ bot_id: 'a', status: 'Joining' }] }))
  list.answer(0)
  await expect.poll(list.shown).toHaveLength(1)
  list.receive(event('b', 'Joining'))
  await list.asked(2)
  for (let count = 0; count < 20; count++) list.receive(event('b', 'InMeeting'))
  list.answer(1)
  await list.asked(3)
  list.answer(2)
  expect(await list.requests()).toBe(3)
})
