import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

// A screen without a mouse.

/** Presses Tab until `target` has the focus, as a person would, and sees that it shows. */
export async function reach(target: Locator, key = 'Tab'): Promise<void> {
  const page = target.page()
  // The input of a choice is itself not seen; what stands for it is.
  await target.waitFor({ state: 'attached' })
  const passed: string[] = []
  for (let stop = 0; stop < 120; stop++) {
    if (await isFocused(target)) {
      expect(await isFocusSeen(page), `the focus on ${target}`).toBe(true)
      return
    }
    await page.keyboard.press(key)
    passed.push(await page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 30) ?? ''))
  }
  throw new Error(`${target} is not reached by ${key}: ${passed.join(' · ')}`)
}

export const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)

/** An outline or a ring around what has the focus or what stands for it, and it lies in sight. */
const isFocusSeen = (page: Page) =>
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
