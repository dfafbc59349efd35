import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

// Helpers to use a screen by keyboard only.

/** Presses Tab until `target` has the focus, and checks that the focus is visible. */
export async function pressTabTo(target: Locator, key = 'Tab'): Promise<void> {
  const page = target.page()
  // A radio's or checkbox's input is invisible; its visible stand-in counts.
  await target.waitFor({ state: 'attached' })
  const passed: string[] = []
  for (let stop = 0; stop < 120; stop++) {
    if (await isFocused(target)) {
      expect(await isFocusVisible(page), `the focus on ${target}`).toBe(true)
      return
    }
    await page.keyboard.press(key)
    passed.push(await page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 30) ?? ''))
  }
  throw new Error(`${target} is not reached by ${key}: ${passed.join(' · ')}`)
}

export const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)

/** Whether the focused element or its stand-in is in view and has an outline or ring. */
const isFocusVisible = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    element.scrollIntoView({ block: 'nearest' })
    const parts = [element, element.parentElement!, ...(element.labels ?? []), ...element.parentElement!.children]
    const isMarked = parts.some((part) => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(part)
      const ring = getComputedStyle(document.documentElement).getPropertyValue('--rc-accent').trim()
      const probe = document.createElement('i')
      probe.style.color = ring
      document.body.append(probe)
      const accent = getComputedStyle(probe).color
      probe.remove()
      const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
      return hasOutline || boxShadow !== 'none' || borderColor.includes(accent)
    })
    const { top, bottom } = element.getBoundingClientRect()
    return isMarked && bottom > 0 && top < innerHeight
  })
