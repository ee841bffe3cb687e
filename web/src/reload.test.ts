import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { reload } from './reload.ts'

test('shows a change that was made while the first answer was on its way', async () => {
  const queries = new QueryClient()
  let name = 'Ben'
  const answers: (() => void)[] = []
  const queryFn = () => {
    const read = name
    return new Promise<string>((resolve) => answers.push(() => resolve(read)))
  }
  const queryKey = ['transcript']
  const observer = new QueryObserver(queries, { queryKey, queryFn })
  const stop = observer.subscribe(() => undefined)
  name = 'Benedict'
  const reloading = reload(queries, queryKey)
  await expect.poll(() => answers.length).toBe(2)
  for (const answer of answers) answer()
  await reloading
  expect(observer.getCurrentResult().data).toBe('Benedict')
  stop()
})
