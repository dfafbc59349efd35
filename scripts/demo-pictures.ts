import { mkdir, writeFile } from 'node:fs/promises'
import { openBrowser } from '../e2e/browser.ts'
import * as shopify from '../providers/shopify/pictures.ts'
import { logo } from '../providers/woocommerce/pages/layout.ts'
import { drawPicture, pictureNames } from '../providers/woocommerce/pictures.ts'

// Renders the demo stores' product pictures, the first store's logo and the small pictures of the previews' sample
// cart: `node scripts/demo-pictures.ts`. Uses JPEG, because email clients do not show SVG.

const SIZE = 600
/** Size in emails, at twice the pixel density. */
const SAMPLE_SIZE = 176
const folder = new URL('../providers/woocommerce/pictures/', import.meta.url)
const shopifyFolder = new URL('../providers/shopify/pictures/', import.meta.url)
const samples = { folder: new URL('../web/public/sample/', import.meta.url), names: ['mug', 'jar'] as const }

const browser = await openBrowser()
const page = await browser.newPage()
for (const name of pictureNames) await draw(name, drawPicture(name), { size: SIZE, into: folder })
for (const name of shopify.pictureNames)
  await draw(name, shopify.drawPicture(name), { size: SIZE, into: shopifyFolder })
for (const name of samples.names) await draw(name, drawPicture(name), { size: SAMPLE_SIZE, into: samples.folder })
await drawLogo()
await browser.close()

async function draw(name: string, picture: string, { size, into }: { size: number; into: URL }): Promise<void> {
  await mkdir(into, { recursive: true })
  await page.setViewportSize({ width: size, height: size })
  const style = 'body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }'
  await page.setContent(`<style>${style}</style>${picture}`)
  await writeFile(new URL(`${name}.jpg`, into), await page.screenshot({ type: 'jpeg', quality: 82 }))
}

/** Renders the logo with its text on a transparent background, at twice the size in emails. */
async function drawLogo(): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 2 })
  const style =
    'body { margin: 0; background: none } div { display: inline-flex; align-items: center; gap: 12px; padding: 2px; font: 600 30px/1 Georgia, serif; color: #a4451f } svg { width: 44px; height: 44px }'
  await page.setContent(`<style>${style}</style><div>${logo}<span>Maple &amp; Clay</span></div>`)
  await writeFile(new URL('logo.png', folder), await page.locator('div').screenshot({ omitBackground: true }))
}
