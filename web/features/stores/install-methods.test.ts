import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildFunctionsCode, installMethods, themeSteps } from './CaptureInstall.tsx'

const plain = (text: string) => text.replace(/[“”]/g, '"').replace(/’/g, "'").replaceAll('`', '').replace(/\s+/g, ' ')

it('offers a method for every kind of theme, the first independent of themes', () => {
  expect(installMethods.map(({ id }) => id)).toEqual(['plugin', 'classic', 'block'])
  expect(installMethods.map(({ steps }) => steps.join(' ').includes('</head>'))).toEqual([false, true, false])
})

it('matches the documentation', () => {
  const page = plain(readFileSync('docs/capture-script.md', 'utf8'))
  for (const [place, { title, steps }] of installMethods.entries()) {
    expect(page).toContain(`## Option ${place + 1}: ${title}`)
    for (const [number, step] of steps.entries()) expect(page).toContain(`${number + 1}. ${plain(step)}`)
  }
  expect(page).toContain(
    plain(buildFunctionsCode('<script src="https://your-recoup-address/capture/KEY.js" defer></script>')),
  )
})

it('matches the documentation for Shopify themes', () => {
  const page = plain(readFileSync('docs/connecting-shopify.md', 'utf8'))
  for (const [number, step] of themeSteps.entries()) expect(page).toContain(`${number + 1}. ${plain(step)}`)
})
