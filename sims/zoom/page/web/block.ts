/// <reference lib="dom" />
// A block page as a document of its own, in a frame of the client.
import type { WebScenario } from '../../site/web-scenario.ts'
import { wallScreen } from '../walls.ts'
import { boot, root } from './boot.ts'

const wall = (new URLSearchParams(location.search).get('wall') ?? 'none') as WebScenario['wall']
root.replaceChildren(...(wallScreen(wall, boot.words) ?? []))
