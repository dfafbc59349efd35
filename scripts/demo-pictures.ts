import { mkdir, writeFile } from 'node:fs/promises'
import { drawPicture, pictureNames } from '../demo/store/pictures.ts'
import { openBrowser } from '../e2e/browser.ts'

// Makes the demo store's product pictures, and the small ones of the sample cart in previews, from their drawings:
// `node scripts/demo-pictures.ts`. JPEG, as stores have them: mail programs show no SVG.

const SIZE = 600
/** As mails show them, on a screen of twice the density. */
const SAMPLE_SIZE = 176
const folder = new URL('../demo/store/pictures/', import.meta.url)
const samples = { folder: new URL('../web/public/sample/', import.meta.url), names: ['mug', 'jar'] as const }

const browser = await openBrowser()
const page = await browser.newPage()
for (const name of pictureNames) await draw(name, SIZE, folder)
for (const name of samples.names) await draw(name, SAMPLE_SIZE, samples.folder)
await browser.close()

async function draw(name: (typeof pictureNames)[number], size: number, into: URL): Promise<void> {
  await mkdir(into, { recursive: true })
  await page.setViewportSize({ width: size, height: size })
  const style = 'body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }'
  await page.setContent(`<style>${style}</style>${drawPicture(name)}`)
  await writeFile(new URL(`${name}.jpg`, into), await page.screenshot({ type: 'jpeg', quality: 82 }))
}
