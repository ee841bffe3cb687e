/// <reference lib="dom" />
// The data that the document holds for this script.
import { BOOT_ID, type WebBoot } from '../../site/web-boot.ts'

export const boot = JSON.parse(document.getElementById(BOOT_ID)?.textContent ?? '{}') as WebBoot
export const root = document.getElementById('root') ?? document.body
