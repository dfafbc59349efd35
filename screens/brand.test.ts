import { beforeEach, expect, test } from 'vitest'
import {
  type BrandView,
  brandTexts,
  confirmLogo,
  previewBrand,
  readBrand,
  removeLogo,
  saveBrand,
  uploadLogo,
} from '../shared/workspace/brand-calls.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

// A store's brand: logo, colours, texts and links, with a preview of a mail.

const app = createScreens()
const findPart = (name: string) => app.page.getByRole('region', { name, exact: true })
const findField = (name: string) => app.page.getByRole('textbox', { name, exact: true })
const findButton = (name: string) => app.page.getByRole('button', { name, exact: true })
const findMail = () => app.page.frameLocator('iframe[title="Email preview"]')
const findLogoInMail = () => findMail().locator('img.logo').getAttribute('src')
const buildLogo = (name: string) => ({
  path: `/brand/01a2244e-97ae-7b35-8027-1d5187776883/${name}`,
  width: 570,
  height: 96,
})
const shownLogo = () => findPart('Logo').getByAltText('Your logo')
const hash = 'f'.repeat(64)

/** State of the server; a mail shows the logo and the text. */
let view: BrandView
beforeEach(async () => {
  view = { ...fixture(readBrand), logo: null, proposal: null, canUpload: true }
  app.api.answer(readBrand, () => view)
  app.api.answer(previewBrand, ({ body }) => ({
    ...fixture(previewBrand),
    html: `${view.logo ? `<img class="logo" src="${view.logo.path}">` : ''}<a class="button">${body.promise}</a>`,
  }))
  await app.page.route('**/brand/01a2*/**', (route) => route.fulfill({ path: 'dist/web/icon-180.png' }))
})

test('a logo found in the store appears in mails only after it is confirmed', async () => {
  view = { ...view, proposal: { source: 'site_logo', logo: buildLogo('found.png'), hash } }
  app.api.answer(confirmLogo, () => {
    view = { ...view, logo: buildLogo('found.png'), proposal: null }
    return view
  })
  await app.open('/settings/sending/brand')
  await findPart('Logo').getByText('We found this logo in your store.').waitFor()
  await findMail().locator('a.button').first().waitFor()
  await expect.poll(() => findMail().locator('img.logo').count()).toBe(0)
  expect(await app.findViolations()).toEqual([])
  await findButton('Use it').press('Enter')
  await shownLogo().waitFor()
  await expect.poll(() => app.api.calls(confirmLogo)[0]!.body).toEqual({ hash })
  await expect.poll(findLogoInMail).toBe(buildLogo('found.png').path)
})

test('an uploaded file replaces the logo, and an invalid file is refused with the reason', async () => {
  view = { ...view, logo: buildLogo('before.png') }
  const content = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
  const upload = async (name: string, mimeType: string, buffer: Buffer) => {
    const chosen = app.page.waitForEvent('filechooser')
    await findButton('Replace logo').click()
    await (await chosen).setFiles({ name, mimeType, buffer })
  }
  await app.open('/settings/sending/brand')
  await shownLogo().waitFor()
  await upload('logo.png', 'image/png', Buffer.alloc(310 * 1024))
  await findPart('Logo').getByText(brandTexts.logoTooLarge).waitFor()
  expect(app.api.calls(uploadLogo)).toEqual([])
  const refusal = 'Mail programs do not show SVG pictures.'
  app.api.fail(uploadLogo, 400, { error: refusal })
  await upload('logo.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
  await findPart('Logo').getByText(refusal).waitFor()
  app.api.answer(uploadLogo, () => {
    view = { ...view, logo: buildLogo('after.jpg') }
    return view
  })
  await upload('logo.jpg', 'image/jpeg', content)
  await expect.poll(() => shownLogo().getAttribute('src')).toBe(buildLogo('after.jpg').path)
  await expect.poll(() => app.api.calls(uploadLogo).at(-1)!.body.content).toBe(content.toString('base64'))
  await expect.poll(() => findPart('Logo').getByText('Not saved').count()).toBe(0)
  await expect.poll(findLogoInMail).toBe(buildLogo('after.jpg').path)
})

test('colours, texts and links are previewed before saving, and unreadable colours are not saved', async () => {
  app.api.answer(saveBrand, ({ body: { version: _, ...look } }) => {
    view = { ...view, look, version: view.version + 1 }
    return view
  })
  await app.open('/settings/sending/brand')
  await findField('Text color').fill('#aaaaaa')
  await findPart('Colors and font').getByText('Text on this background cannot be read well: contrast 2.3:1').waitFor()
  await app.page.keyboard.press('Control+s')
  await expect.poll(() => findField('Text color').getAttribute('aria-invalid')).toBe('true')
  expect(app.api.calls(saveBrand)).toEqual([])
  await findField('Text color').fill('#222222')
  await findField('Button color').fill('#7a1fa2')
  await findField('Shipping and returns').fill('Ships within two days')
  await findButton('Add link').click()
  await findField('Address of Instagram').fill('https://www.instagram.com/teashop')
  await findMail().getByText('Ships within two days').waitFor()
  await findButton('Save').click()
  await app.page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
  await expect
    .poll(() => app.api.calls(saveBrand)[0]!.body)
    .toMatchObject({
      version: fixture(readBrand).version,
      text: '#222222',
      button: '#7a1fa2',
      promise: 'Ships within two days',
      social: [{ kind: 'instagram', url: 'https://www.instagram.com/teashop' }],
    })
})

test('a conflicting change is refused with the next step, and the logo can be removed', async () => {
  view = { ...view, logo: buildLogo('before.png') }
  app.api.answer(removeLogo, () => {
    view = { ...view, logo: null }
    return view
  })
  await app.open('/settings/sending/brand')
  await findField('Footer').fill('From me')
  view = { ...view, look: { ...view.look, footerWords: 'From somebody else' }, version: view.version + 1 }
  app.api.fail(saveBrand, 409, { error: brandTexts.changedMeanwhile, code: 'conflict' })
  await findButton('Save').click()
  await app.page.getByText('Someone else has changed the brand since you opened it.').waitFor()
  await findButton('Discard').click()
  await expect.poll(() => findField('Footer').inputValue()).toBe('From somebody else')
  await findButton('Remove logo').click()
  await findButton('Upload logo').waitFor()
  await expect.poll(() => findMail().locator('img.logo').count()).toBe(0)
})
