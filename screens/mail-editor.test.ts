import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { findStepPanel, openStep } from '../e2e/flow-steps.ts'
import { pressTabTo } from '../e2e/keys.ts'
import { saveFlow } from '../shared/marketing/flows.ts'
import { previewMessage, testSend } from '../shared/marketing/message-preview.ts'
import { type MailDocument, type MailDocumentInput, MailDocumentSchema } from '../shared/messages/mail-document.ts'
import { uploadMailImage } from '../shared/workspace/mail-images.ts'
import { createScreens } from './app.ts'
import { buildPreview, buildReadyFlow, serveFlows } from './flows-api.ts'
import { serveRecipients } from './recipients.ts'

// The visual editor of a mail, opened from a message of a flow.

const app = createScreens()

const run = (text: string) => ({ kind: 'text' as const, text })
const START: MailDocumentInput = {
  version: 1,
  theme: 'warm',
  subject: [run('Your cart at '), { kind: 'value', name: 'store_name' }],
  preview: [],
  bands: [
    {
      id: 'band1',
      blocks: [
        { id: 'head1', type: 'heading', inlines: [run('We kept them safe for you')] },
        {
          id: 'text1',
          type: 'text',
          inlines: [
            run('Hello '),
            { kind: 'value', name: 'customer_name', fallback: 'there' },
            run(', your cart waits.'),
          ],
        },
        { id: 'items1', type: 'items', part: 'first' },
        { id: 'butt1', type: 'button', label: 'Take me back' },
        { id: 'items2', type: 'items', part: 'rest', layout: 'list' },
        { id: 'total1', type: 'totals' },
        { id: 'coup1', type: 'coupon', show: 'with_coupon', inlines: [run('A little thank you')] },
        { id: 'pict1', type: 'image', asset: `${'ab12'.repeat(8)}.png`, width: 520, height: 200, alt: 'The kiln' },
      ],
    },
    {
      id: 'band2',
      background: 'accent',
      blocks: [
        { id: 'head2', type: 'heading', level: 2, inlines: [run('Questions?')] },
        { id: 'text2', type: 'text', inlines: [run('Reply to this email.')] },
      ],
    },
  ],
  footer: { text: 'Made by hand in Vermont' },
}

function serveDesign(design: MailDocumentInput | undefined): void {
  const flow = buildReadyFlow()
  const [first, ...steps] = flow.steps
  const variants = first!.variants.map((variant) => ({
    ...variant,
    words: {
      ...variant.words,
      email: { ...variant.words.email, ...(design && { design: MailDocumentSchema.parse(design) }) },
    },
  }))
  serveFlows(app.api, [{ ...flow, steps: [{ ...first!, variants }, ...steps] }])
}

/** A picture of one pixel: one that is missing would change its height while it is pressed. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

beforeEach(async () => {
  serveDesign(START)
  serveRecipients(app.api)
  await app.page.route('**/brand/**', (route) => route.fulfill({ contentType: 'image/png', body: PIXEL }))
})

const find = () => app.page.getByRole('dialog', { name: 'First reminder' }).last()
const findMail = () => app.page.getByRole('textbox', { name: 'Email', exact: true })
const findSettings = () => app.page.locator('#mail-settings')
const findBlock = (name: string) => findMail().getByRole('group', { name })

async function openEditor(options: Parameters<typeof app.open>[1] = {}): Promise<Locator> {
  await app.open('/flows/:flowId', options)
  await openStep(app.page, 1)
  await app.page.getByRole('button', { name: 'Edit email' }).click()
  await findMail().waitFor()
  await app.waitUntilSettled()
  return find()
}

/** Closes the editor and saves the flow. */
async function saveMail(): Promise<MailDocument> {
  await app.page.getByRole('button', { name: 'Done' }).click()
  await app.page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => app.api.calls(saveFlow).length).toBe(1)
  const { body } = app.api.calls(saveFlow)[0]!
  return MailDocumentSchema.parse(body.steps[0]!.variants![0]!.words!.email!.design)
}

const listTypes = (document: MailDocument) => document.bands.map(({ blocks }) => blocks.map(({ type }) => type))

describe('in the editor', () => {
  test('a text is typed where it stands, with marks, and saved with the flow', async () => {
    await openEditor()
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' Come back for it, ')
    await app.page.keyboard.press('Control+b')
    await app.page.keyboard.type('soon')
    const { bands } = await saveMail()
    expect(bands[0]!.blocks[1]).toMatchObject({
      inlines: [
        { text: 'Hello ' },
        { kind: 'value', name: 'customer_name', fallback: 'there' },
        { text: ', your cart waits. Come back for it, ' },
        { text: 'soon', marks: ['bold'] },
      ],
    })
  })

  test('a mail that was only opened changes nothing', async () => {
    await openEditor()
    await app.page.getByRole('button', { name: 'Done' }).click()
    await findMail().waitFor({ state: 'detached' })
    await expect.poll(() => app.page.getByRole('region', { name: 'Unsaved changes' }).count()).toBe(0)
  })

  test('“/” adds a block by keyboard, in place of the empty line', async () => {
    await openEditor()
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.press('Enter')
    await app.page.keyboard.type('/coup')
    const option = app.page.getByRole('option', { name: /^Coupon/ })
    await option.waitFor()
    const id = await option.getAttribute('id')
    await expect.poll(() => findMail().getAttribute('aria-activedescendant')).toBe(id)
    await app.page.keyboard.press('Enter')
    await option.waitFor({ state: 'detached' })
    await findSettings().getByRole('heading', { name: 'Coupon' }).waitFor()
    expect(listTypes(await saveMail())[0]!.slice(0, 4)).toEqual(['heading', 'text', 'coupon', 'items'])
  })

  test('Escape closes the list, then selects the block, then returns to the flow', async () => {
    await openEditor()
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' /')
    await app.page.getByRole('listbox', { name: 'Add a block' }).waitFor()
    await app.page.keyboard.press('Escape')
    await app.page.getByRole('listbox', { name: 'Add a block' }).waitFor({ state: 'detached' })
    await app.page.keyboard.press('Escape')
    await expect.poll(() => findMail().locator('p.ProseMirror-selectednode').count()).toBe(1)
    await app.page.keyboard.press('Escape')
    await findMail().waitFor({ state: 'detached' })
    await app.page.getByRole('region', { name: 'Unsaved changes' }).waitFor()
    await app.page.getByRole('button', { name: 'Edit email' }).waitFor()
  })

  test('{{ store_name }} becomes a value, and an unknown name stays text', async () => {
    await openEditor()
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' {{ store_name }} {{ nobody }}')
    await expect.poll(() => findMail().getByRole('img', { name: 'Value: Store name' }).count()).toBe(1)
    const { bands } = await saveMail()
    expect(bands[0]!.blocks[1]).toMatchObject({
      inlines: [{}, {}, {}, { kind: 'value', name: 'store_name' }, { text: ' {{ nobody }}' }],
    })
  })

  test('an inserted value has a space to the words beside it', async () => {
    await openEditor()
    await findMail().getByText('Questions?').click()
    await app.page.keyboard.press('Home')
    for (let at = 0; at < 5; at++) await app.page.keyboard.press('ArrowRight')
    await find().getByRole('button', { name: 'Insert value' }).click()
    await app.page.getByRole('menuitem', { name: /^Store name/ }).click()
    const [heading] = (await saveMail()).bands[1]!.blocks
    expect(heading).toMatchObject({
      inlines: [{ text: 'Quest ' }, { kind: 'value', name: 'store_name' }, { text: ' ions?' }],
    })
  })

  test('Alt+Shift+arrows move a block, say so, and undo brings it back', async () => {
    await openEditor()
    await findBlock('Button').click()
    await app.page.keyboard.press('Alt+Shift+ArrowUp')
    await app.page.getByText('Button moved to place 3 of 8, section 1').waitFor({ state: 'attached' })
    await app.page.keyboard.press('Alt+Shift+ArrowUp')
    await app.page.keyboard.press('Control+z')
    await app.page.keyboard.press('Control+z')
    await app.page.keyboard.press('Control+Shift+z')
    expect(listTypes(await saveMail())[0]!.slice(0, 4)).toEqual(['heading', 'text', 'button', 'items'])
  })

  test('undo and redo are exact, over texts, settings and the whole mail', async () => {
    await openEditor()
    await app.page.getByRole('textbox', { name: 'Subject' }).click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.type('!!')
    await app.page.getByRole('radio', { name: /^Bold/ }).click()
    await findBlock('Button').click()
    await findSettings().getByLabel('Label').fill('Go')
    await findSettings().getByRole('button', { name: 'Delete' }).click()
    const undo = find().getByRole('button', { name: 'Undo' })
    const redo = find().getByRole('button', { name: 'Redo' })
    while (await undo.isEnabled()) await undo.click()
    await app.page.getByRole('tab', { name: 'Email' }).click()
    await expect.poll(() => app.page.getByRole('radio', { name: /^Warm/ }).isChecked()).toBe(true)
    await expect.poll(() => app.page.getByRole('textbox', { name: 'Subject' }).innerText()).not.toContain('!')
    await expect.poll(() => findBlock('Button').count()).toBe(1)
    while (await redo.isEnabled()) await redo.click()
    const saved = await saveMail()
    expect(saved).toMatchObject({ theme: 'bold', subject: [{}, {}, { text: '!!' }] })
    expect(listTypes(saved)[0]).not.toContain('button')
  })

  test('the footer survives select all, Delete, cut, paste and its own selection', async () => {
    await openEditor()
    const footer = findBlock('Footer, in every email')
    await footer.click()
    await app.page.keyboard.press('Delete')
    await app.page.keyboard.press('Backspace')
    await app.page.keyboard.press('Control+x')
    await expect.poll(() => footer.count()).toBe(1)
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('Control+a')
    await app.page.keyboard.press('Delete')
    await expect.poll(() => findMail().locator('[data-block]').count()).toBe(2)
    await app.page.keyboard.press('Control+z')
    await app.page.keyboard.press('Control+a')
    await app.page.keyboard.press('Control+x')
    await paste('<section data-mail="band"><p>New</p></section><footer data-mail="footer">Mine</footer>')
    const { bands, footer: kept } = await saveMail()
    expect(kept).toEqual({ text: 'Made by hand in Vermont', hasSocial: true })
    expect(JSON.stringify(bands)).toContain('New')
  })

  test('hostile content stays harmless and valid when it is pasted', async () => {
    await openEditor()
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await paste(
      [
        '<p onclick="alert(1)" id="head1" data-fields=\'{"id":"x","align":"evil"}\'>One</p><script>alert(2)</script>',
        '<img src=x onerror=alert(3)><a href="javascript:alert(4)">four</a> <a href="https://ok.example/">five</a>',
        '<div data-mail="button" data-fields=\'{"href":"javascript:alert(5)","style":"__proto__"}\'></div>',
        '<div data-mail="items" data-fields=\'{"max":9999999,"id":"head1"}\'></div><div data-mail="items" data-fields="{"></div>',
        '<span data-mail="value" data-fields=\'{"name":"constructor"}\'></span><style>*{display:none}</style>',
        '<footer>second</footer><iframe src="https://evil.example"></iframe>',
      ].join(''),
    )
    await findMail().getByText('five').waitFor()
    const saved = await saveMail()
    const text = JSON.stringify(saved)
    for (const evil of ['javascript:', 'onerror', 'onclick', 'evil', '9999999', '<script'])
      expect(text).not.toContain(evil)
    expect(text).toContain('https://ok.example/')
    await expect.poll(() => app.page.locator('.me-mail script, .me-mail iframe, .me-mail [onclick]').count()).toBe(0)
  })

  test('a block is dragged by its handle', async () => {
    await openEditor()
    await findMail().getByText('Reply to this email.').hover()
    const target = await findMail().getByText('We kept them safe').boundingBox()
    await app.page.locator('.me-drag').dragTo(findMail().getByText('Questions?'), {
      targetPosition: { x: 20, y: 2 },
    })
    expect(target).not.toBeNull()
    expect(listTypes(await saveMail())[1]).toEqual(['text', 'heading'])
  })

  test('the outline selects, moves and deletes by keyboard alone', async () => {
    await openEditor()
    await app.page.getByRole('tab', { name: 'Outline' }).click()
    await pressTabTo(app.page.getByRole('button', { name: 'Move up Total' }))
    await app.page.keyboard.press('Enter')
    await app.page.getByText('Total moved to place 5 of 8, section 1').waitFor({ state: 'attached' })
    await pressTabTo(app.page.getByRole('button', { name: 'Delete Image' }))
    await app.page.keyboard.press('Enter')
    expect(listTypes(await saveMail())[0]).toEqual([
      ...['heading', 'text', 'items', 'button', 'totals', 'items', 'coupon'],
    ])
  })

  test('a picture is uploaded and needs a description', async () => {
    app.api.answer(uploadMailImage, { asset: `${'cd34'.repeat(8)}.png`, width: 1200, height: 800 })
    await openEditor()
    await findBlock('Image').click({ position: { x: 30, y: 8 } })
    const settings = findSettings()
    const chooser = app.page.waitForEvent('filechooser')
    await settings.getByRole('button', { name: 'Choose another picture' }).click()
    await (await chooser).setFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('picture') })
    await expect.poll(() => app.api.calls(uploadMailImage).length).toBe(1)
    await settings.getByLabel('Description').fill('')
    await app.page.getByText('Describe the picture, or mark it as decorative').first().waitFor()
    await settings.getByLabel('Description').fill('A kiln')
    expect((await saveMail()).bands[0]!.blocks.at(-1)).toMatchObject({
      alt: 'A kiln',
      width: 1200,
      asset: expect.stringMatching(/^cd34/),
    })
  })

  test('views, carts and a test mail show this mail', async () => {
    app.api.answer(testSend, { isAccepted: true, to: 'demo@recoup.example', response: '250 OK', couponNote: null })
    await openEditor()
    await app.page.getByRole('combobox', { name: 'Preview with' }).click()
    await app.page.getByRole('option', { name: 'One item sold out' }).click()
    await findViews().getByText('Desktop', { exact: true }).click()
    const mail = find().frameLocator('iframe[title="Email preview"]')
    await mail.getByText('Sold out').waitFor()
    await app.page.getByRole('combobox', { name: 'Preview with' }).click()
    await app.page.getByRole('option', { name: 'With a coupon' }).click()
    await expect.poll(() => mail.getByText('Sold out').count()).toBe(0)
    await app.page.getByRole('combobox', { name: 'Preview with' }).click()
    await app.page.getByRole('option', { name: 'One item sold out' }).click()
    await mail.getByText('Sold out').waitFor()
    await findViews().getByText('Text', { exact: true }).click()
    await find().locator('pre').getByText('Linen tea towel').waitFor()
    await app.page.getByRole('button', { name: 'Test', exact: true }).click()
    await app.page.getByText('To demo@recoup.example, with an example cart.').waitFor()
    expect(app.api.calls(testSend)).toEqual([])
    await app.page.getByRole('button', { name: 'Send the test' }).click()
    await app.page.getByText('Sent to demo@recoup.example.').waitFor()
    expect(app.api.calls(testSend)[0]!.body).toMatchObject({
      cartId: 'sample',
      design: MailDocumentSchema.parse(START),
    })
  })

  test('a ready design replaces the mail, and undo brings it back', async () => {
    await openEditor()
    await app.page.getByRole('button', { name: 'Start from a design' }).click()
    await app.page
      .getByRole('dialog', { name: 'Start from a design' })
      .getByRole('button', { name: 'Bold: first reminder' })
      .click()
    await expect.poll(() => app.page.getByRole('radio', { name: /^Bold/ }).isChecked()).toBe(true)
    await expect.poll(() => findMail().getByText('We kept them safe for you').count()).toBe(0)
    await find().getByRole('button', { name: 'Undo' }).click()
    await findMail().getByText('We kept them safe for you').waitFor()
    await expect.poll(() => app.page.getByRole('radio', { name: /^Warm/ }).isChecked()).toBe(true)
  })

  test('Escape closes one dialog after the other, also on a phone', async () => {
    await openEditor({ viewport: { width: 390, height: 844 } })
    const { page } = app
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Settings' })
    await sheet.getByRole('tab', { name: 'Email' }).click()
    await sheet.getByRole('button', { name: 'Start from a design' }).click()
    const gallery = page.getByRole('dialog', { name: 'Start from a design' })
    await gallery.getByRole('button', { name: 'Quiet: first reminder' }).waitFor()
    await page.keyboard.press('Escape')
    await gallery.waitFor({ state: 'detached' })
    await sheet.waitFor()
    await sheet.getByRole('tab', { name: 'Email' }).focus()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await findMail().waitFor()
    await page.getByRole('button', { name: 'Add block' }).click()
    await page.getByRole('menuitem').first().waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(0)
    await findMail().waitFor()
  })

  test('HTML of an older template is rendered by the server', async () => {
    serveDesign({
      ...START,
      bands: [{ id: 'band1', blocks: [{ id: 'html1', type: 'legacy_text', source: '<b>{{ customer_name }}</b>' }] }],
    })
    app.api.answer(previewMessage, () => buildPreview('Hello', 'From the server'))
    await openEditor()
    await findBlock('HTML').click()
    await findSettings().getByLabel('Source').waitFor()
    await findViews().getByText('Phone', { exact: true }).click()
    await expect.poll(() => app.api.calls(previewMessage).length).toBe(1)
    await find().getByText('Hello', { exact: true }).waitFor()
  })
})

const findViews = () => app.page.getByRole('radiogroup', { name: 'View' })

/** Pastes HTML at the cursor. */
const paste = (html: string) =>
  findMail().evaluate((element, content) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', content)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, html)

describe.each(['light', 'dark', 'blue'])('in the %s theme', (theme) => {
  const check = async (state: string) => expect(await app.findViolations('[role=dialog]'), state).toEqual([])

  test('has no accessibility violation on a desktop', async () => {
    await openEditor({ storage: { theme } })
    await app.waitUntilSettled()
    await check('start')
    await findBlock('Coupon, only with a coupon').click()
    await findSettings().getByRole('heading', { name: 'Coupon' }).waitFor()
    await check('block selected')
    await findBlock('Image').click({ position: { x: 30, y: 8 } })
    await findSettings().getByRole('heading', { name: 'Image' }).waitFor()
    await check('settings of an image')
    await findMail().getByText('your cart waits').click()
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' /')
    await app.page.getByRole('listbox', { name: 'Add a block' }).waitFor()
    await check('list of blocks')
  })

  test('has no accessibility violation on a phone, where settings are a sheet', async () => {
    await openEditor({ storage: { theme }, viewport: { width: 390, height: 844 } })
    await app.waitUntilSettled()
    const overflow = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await findMail().getByText('your cart waits').click()
    await app.page.getByRole('button', { name: 'Settings', exact: true }).click()
    await app.page.getByRole('tab', { name: 'Email' }).click()
    await app.page.getByRole('textbox', { name: 'Subject' }).waitFor()
    await app.waitUntilSettled()
    await check('sheet')
    await app.page.getByRole('button', { name: 'Close settings' }).click()
    await findViews().getByText('Dark', { exact: true }).click()
    await app.waitUntilSettled()
  })
})

test('a text template can be designed, and “Edit as text” goes back to its fields', async () => {
  serveDesign({
    ...START,
    theme: 'letter',
    bands: [{ id: 'band0001', blocks: [{ id: 'block0001', type: 'text', inlines: [run('We saved your cart')] }] }],
  })
  await app.open('/flows/:flowId')
  await openStep(app.page, 1)
  const panel = findStepPanel(app.page)
  await panel.getByLabel('Subject').waitFor()
  await panel.getByRole('button', { name: 'Design the email' }).click()
  await findMail().getByText('We saved your cart').click()
  await app.page.keyboard.type('!')
  await app.page.getByRole('button', { name: 'Done' }).click()
  await panel.getByRole('button', { name: 'Edit email' }).waitFor()
  await expect.poll(() => panel.getByLabel('Subject').count()).toBe(0)
  await panel.getByRole('button', { name: 'Edit as text' }).click()
  await panel.getByLabel('Subject').waitFor()
})

test('a mail with problems is not saved, and the first one is named', async () => {
  await openEditor()
  await app.page.getByRole('textbox', { name: 'Subject' }).click()
  await app.page.keyboard.press('Control+a')
  await app.page.keyboard.press('Delete')
  await app.page.getByRole('region', { name: 'Problems' }).getByText('Subject: Write a subject.').waitFor()
  await app.page.getByRole('button', { name: 'Done' }).click()
  await app.page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click()
  await findStepPanel(app.page).getByText('Subject: Write a subject.').first().waitFor()
  expect(app.api.calls(saveFlow)).toEqual([])
})
