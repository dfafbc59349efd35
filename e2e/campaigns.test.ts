import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailsTo, readMail, until } from './app-instance.ts'
import { beginVisit, endVisit, instance, page, waiting } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { isFocused, reach } from './keys.ts'

// Campaigns in a real browser, on the demo's 90 days: created, paused, resumed, cancelled, sent and read in the mailbox.

beforeAll(beginVisit, 420_000)
afterAll(endVisit)

const NAME = 'Autumn pots'
const WORDS = 'Still want these pots?'
const dialog = (name = 'Create New Campaign') => page.getByRole('dialog', { name })
const button = (name: string, within: Locator = dialog()) => within.getByRole('button', { name, exact: true })
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const inThreeDays = () => new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
const said = (text: string) => page.getByRole('status').filter({ hasText: text }).first().waitFor()

async function openList() {
  await page.goto(`${instance.url}/campaigns`)
  await page.getByText('Manage your email campaigns and track their performance.').waitFor()
}

async function press(action: string, name = NAME) {
  await row(name)
    .getByRole('button', { name: `${action} ${name}`, exact: true })
    .click()
}

/** The names of a row's buttons and links, without the campaign's. */
async function actionsOf(name: string) {
  const all = row(name).locator('td').last().locator('button, a')
  return (await all.evaluateAll((each) => each.map((one) => one.getAttribute('aria-label') ?? ''))).map((label) =>
    label.replace(` ${name}`, ''),
  )
}

/** Each button of the row, while the server fails at every step without words of its own. */
async function failingSteps(steps: readonly (readonly [string, string, string?, string?])[]) {
  const json = { error: 'x', code: 'internal' }
  const isStep = (url: URL) => /^\/api\/campaigns\/[-\w]{36}(\/(play|pause|send-now))?$/.test(url.pathname)
  await page.route(isStep, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 500, json }),
  )
  for (const [action, text, question, answer] of steps) {
    const isAsked = question !== undefined && answer !== undefined
    if (isAsked) await press(action)
    // It goes by itself: on a busy machine that is too soon for whoever looks only when the press is over.
    await Promise.all([
      page.getByText(text, { exact: true }).waitFor(),
      isAsked ? button(answer, dialog(question)).click() : press(action),
    ])
    await page.getByRole('button', { name: 'Dismiss' }).click()
  }
  await page.unroute(isStep)
}

async function toStep(name: string) {
  await button('Next').click()
  await dialog().getByRole('heading', { name, exact: true }).waitFor()
}

test('without a campaign the list says what to do, and has both ways there', async () => {
  await openList()
  await page.getByRole('heading', { level: 1, name: 'Email Campaigns' }).waitFor()
  await page.getByText('No active campaigns found. Create a new campaign to get started.').waitFor()
  for (const name of ['Send to All', 'New Campaign', 'Send to All Abandoned Carts', 'Create Campaign']) {
    await page.getByRole('button', { name, exact: true }).waitFor()
  }
  await checkInEveryTheme(page, 'campaigns-empty')
})

describe('a campaign', () => {
  test('is created in four steps; nothing typed is lost, and nobody is written to who was not chosen', async () => {
    const [chosen] = waiting
    await page.getByRole('button', { name: 'Create Campaign', exact: true }).click()
    expect([await button('Previous').isDisabled(), await button('Next').isDisabled()]).toEqual([true, true])
    const push = dialog().getByRole('radio', { name: 'Push' })
    expect(await push.isDisabled()).toBe(false)
    await dialog().getByText('To shoppers who have allowed notifications in your shop.').waitFor()
    await dialog().getByLabel('Campaign name').fill(NAME)
    await checkInEveryTheme(page, 'campaigns-details', '[role=dialog]')
    await toStep('Target Audience')
    await dialog().getByRole('checkbox').first().waitFor()
    await toStep('Email Template')
    await dialog().getByLabel('Subject').fill(WORDS)
    await dialog().getByLabel('Text', { exact: true }).fill('Hi {{ customer_name }}, {{ nonsense }}')
    await dialog().getByText('There is no variable nonsense. Select one of those below.').waitFor()
    await dialog().getByLabel('Text', { exact: true }).fill('Hi {{ customer_name }}, they are still here.')
    await dialog().getByText('Preview', { exact: true }).click()
    await dialog().getByRole('region', { name: 'Preview' }).getByText(WORDS).waitFor({ timeout: 30_000 })
    await checkInEveryTheme(page, 'campaigns-preview', '[role=dialog]')
    await toStep('Schedule & Send')
    await dialog().getByLabel('Start date').fill('2020-01-01')
    await button('Create Campaign').click()
    await dialog().getByText('Please select at least one customer to send the campaign to.').waitFor()
    await dialog().getByRole('searchbox').fill(chosen!.customer_email!)
    await dialog().getByRole('searchbox').press('Enter')
    await dialog().getByRole('checkbox', { name: chosen!.customer_name, exact: true }).first().check()
    await dialog().getByText('1 customer selected').waitFor()
    await dialog().getByText('1 customer, 1 would get it now.').waitFor({ timeout: 30_000 })
    await toStep('Email Template')
    await toStep('Schedule & Send')
    await button('Create Campaign').click()
    await dialog().getByText('Start date cannot be before today').waitFor()
    await dialog().getByLabel('Start date').fill(inThreeDays())
    await dialog()
      .getByText(/^Runs once on /)
      .waitFor()
    await checkInEveryTheme(page, 'campaigns-schedule', '[role=dialog]')
    await button('Create Campaign').click()
    await said('Campaign created.')
    await dialog().waitFor({ state: 'detached' })
    await row(NAME).getByText('Scheduled').waitFor()
    expect(await actionsOf(NAME)).toEqual(['Edit', 'Pause', 'Send Now', 'Cancel'])
    await checkInEveryTheme(page, 'campaigns')
  })

  test('has the columns of the specification, and others that can be left out', async () => {
    const heads = () => page.getByRole('columnheader').allInnerTexts()
    await expect
      .poll(heads)
      .toEqual(['Campaign', 'Status', 'Created', 'Audience', 'Sent', 'Revenue', 'Next run', 'Action'])
    await page.getByRole('button', { name: 'Columns' }).click()
    for (const name of ['Audience', 'Sent', 'Revenue', 'Next run']) await page.getByRole('checkbox', { name }).uncheck()
    expect(await heads()).toEqual(['Campaign', 'Status', 'Created', 'Action'])
    await page.getByRole('button', { name: 'Standard columns' }).click()
    await page.keyboard.press('Escape')
  })

  test('is paused, resumed, cancelled and resumed, each said in the words of B 8', async () => {
    for (const [action, text, status, question, answer] of [
      ['Pause', 'Campaign paused.', 'Paused'],
      ['Play', 'Campaign resumed.', 'Scheduled'],
      ['Cancel', 'Campaign cancelled.', 'Cancelled', `Cancel ${NAME}?`, 'Cancel campaign'],
      ['Play', 'Campaign resumed.', 'Scheduled', `Start ${NAME} again?`, 'Start again'],
    ] as const) {
      await press(action)
      if (question) await button(answer, dialog(question)).click()
      await said(text)
      await row(NAME).getByText(status).waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
    }
  })

  test('that the server does nothing with, and says nothing of, has the failures of B 8', async () => {
    await failingSteps([
      ['Pause', 'Failed to pause campaign.'],
      ['Cancel', 'Failed to cancel campaign.', `Cancel ${NAME}?`, 'Cancel campaign'],
      ['Send Now', 'Failed to send campaign now.', `Send ${NAME} now?`, 'Send'],
    ])
    await row(NAME).getByText('Scheduled').waitFor()
  })

  test('is sent now, and reaches the one it was for', async () => {
    await press('Send Now')
    await button('Send', dialog(`Send ${NAME} now?`)).click()
    await said('Campaign sent immediately.')
    const to = waiting[0]!.customer_email!
    const found = async () => (await mailsTo(instance, to)).find(({ subject }) => subject === WORDS)
    await until(async () => (await found()) !== undefined, 60_000)
    expect((await readMail(instance, (await found())!.id)).text).toContain('they are still here')
    await row(NAME).getByText('Sent', { exact: true }).waitFor({ timeout: 60_000 })
    expect(await actionsOf(NAME)).toEqual(['Edit', 'Play', 'Delete', 'Send'])
  })

  test('that has been sent and cannot be resumed or deleted says so in the words of B 8', async () => {
    await failingSteps([
      ['Play', 'Failed to resume campaign.', `Start ${NAME} again?`, 'Start again'],
      ['Delete', 'Failed to delete campaign.', `Delete ${NAME}?`, 'Delete'],
    ])
  })

  test('is changed on its page, where its report stands, and duplicated', async () => {
    await page.getByRole('link', { name: `Edit ${NAME}` }).click()
    await page.waitForURL('**/campaigns/*')
    await page.getByLabel('Campaign name').fill(`${NAME} again`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: `${NAME} again` }).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Campaign' }).getByRole('link')
    await expect
      .poll(() => tabs.allInnerTexts())
      .toEqual([...['Campaign Details', 'Target Audience', 'Email Template', 'Schedule & Send', 'Report']])
    await checkInEveryTheme(page, 'campaign')
    await tabs.last().click()
    await page.getByRole('img', { name: '1 scheduled: sent 1' }).waitFor()
    await checkInEveryTheme(page, 'campaign-report')
    await page.getByRole('button', { name: 'Duplicate' }).click()
    expect(await dialog().getByLabel('Campaign name').inputValue()).toBe(`Copy of ${NAME} again`)
    await dialog().getByLabel('Campaign name').fill('Another')
    await button('Cancel').click()
    await button('Discard', dialog('Discard this campaign?')).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Duplicate' }).click()
    expect(await dialog().getByLabel('Campaign name').inputValue()).toBe(`Copy of ${NAME} again`)
    await dialog().getByLabel('Campaign name').fill('Another')
    await toStep('Target Audience')
    await dialog().getByText('1 customer selected').waitFor()
    await toStep('Email Template')
    expect(await dialog().getByLabel('Subject').inputValue()).toBe(WORDS)
    await toStep('Schedule & Send')
    await dialog().getByLabel('Start date').fill(inThreeDays())
    await button('Create Campaign').click()
    await page.getByRole('heading', { level: 1, name: 'Another' }).waitFor()
    await openList()
    await row('Another').getByText('Scheduled').waitFor()
    await row(`${NAME} again`).getByText('Sent', { exact: true }).waitFor()
  })

  test('that is new is not lost by Back without a question', async () => {
    await openList()
    await page.getByRole('button', { name: 'New Campaign' }).first().click()
    await dialog().getByLabel('Campaign name').fill('Not to be lost')
    await page.goBack()
    const asked = dialog('Leave without saving?')
    await button('Cancel', asked).click()
    await asked.waitFor({ state: 'detached' })
    expect(await dialog().getByLabel('Campaign name').inputValue()).toBe('Not to be lost')
    await page.goBack()
    await button('Leave', asked).click()
    await dialog().waitFor({ state: 'detached' })
  })

  test('is deleted after a question, and stays after “Cancel”', async () => {
    await openList()
    const name = `${NAME} again`
    await press('Delete', name)
    const question = dialog(`Delete ${name}?`)
    await question.getByText('Are you sure you want to delete this campaign?').waitFor()
    await button('Cancel', question).click()
    await row(name).waitFor()
    await press('Delete', name)
    await button('Delete', question).click()
    await said('Campaign deleted.')
    await row(name).waitFor({ state: 'detached' })
  })
})

describe('“Send to All”', () => {
  const form = () => dialog('Send to All Abandoned Carts')
  const confirm = async () => {
    const question = page.getByRole('dialog', { name: /^Send to [\d,]+ (person|people) now\?$/ })
    await question.getByRole('button', { name: /^Send to [\d,]+ (person|people)$/ }).click({ timeout: 30_000 })
  }

  test('asks for both words, and reaches those who left a cart', async () => {
    await openList()
    await page.getByRole('button', { name: 'Send to All', exact: true }).click()
    await form()
      .getByText(/^\d+ customers, \d+ would get it now\.$/)
      .waitFor({ timeout: 30_000 })
    const choices = form().getByLabel('Template').getByRole('option')
    await expect.poll(() => choices.allInnerTexts()).toHaveLength(3)
    await form().getByLabel('Template').selectOption('discount')
    await form().getByText('These words speak of a discount').waitFor()
    await form().getByText('These words promise a discount. Choose a coupon, or another template.').waitFor()
    expect(await button('Send to All', form()).isDisabled()).toBe(true)
    await form().getByLabel('Template').selectOption('urgency')
    await expect.poll(() => form().getByLabel('Subject').inputValue()).not.toBe('')
    await checkInEveryTheme(page, 'campaigns-send-to-all', '[role=dialog]')
    await form().getByLabel('Subject').fill(' ')
    await button('Send to All', form()).click()
    await form().getByText('Please fill in both subject and message').waitFor()
    await form().getByLabel('Subject').fill('For everybody')
    await button('Send to All', form()).click()
    await confirm()
    await said('Campaign sent successfully!')
    await row('Quick Send - ').waitFor()
    const to = waiting[1]!.customer_email!
    await until(async () => (await mailsTo(instance, to)).some(({ subject }) => subject === 'For everybody'), 60_000)
  })

  test('is said to have failed in the words of B 8', async () => {
    await page.route('**/api/campaigns/send-to-abandoned-carts*', (route) =>
      route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }),
    )
    await page.getByRole('button', { name: 'Send to All', exact: true }).click()
    await expect.poll(() => form().getByLabel('Subject').inputValue()).not.toBe('')
    await button('Send to All', form()).click()
    await confirm()
    await form().getByText('Failed to send campaign. Please try again.').waitFor()
    await button('Cancel', form()).click()
    await page.unroute('**/api/campaigns/send-to-abandoned-carts*')
  })
})

test('the dashboard lists the campaigns, each with the way to it (A 2.3)', async () => {
  await page.goto(`${instance.url}/dashboard`)
  const panel = page.getByRole('region', { name: 'Active Campaigns' })
  await panel.getByRole('link', { name: /^Quick Send - / }).click()
  await page.waitForURL('**/campaigns/*')
  await page.getByRole('heading', { level: 1, name: /^Quick Send - / }).waitFor()
})

test('a campaign is created by the keyboard alone, from the list to the list', async () => {
  const name = 'By keys'
  const press = (key: string) => page.keyboard.press(key)
  const type = (text: string) => page.keyboard.type(text)
  const next = async (title: string) => {
    await reach(button('Next'))
    await press('Enter')
    const heading = dialog().getByRole('heading', { name: title, exact: true })
    // Whoever turns to another step reads it from its heading on.
    await expect.poll(() => isFocused(heading)).toBe(true)
  }
  await openList()
  await reach(page.getByRole('button', { name: 'New Campaign', exact: true }))
  await press('Enter')
  const field = dialog().getByLabel('Campaign name')
  await expect.poll(() => isFocused(field)).toBe(true)
  await type(name)
  await next('Target Audience')
  await reach(dialog().getByRole('radio', { name: 'Select by hand' }))
  await press('ArrowRight')
  await dialog()
    .getByText(/^\d+ customers?, \d+ would get it now\.$/)
    .waitFor({ timeout: 30_000 })
  await next('Email Template')
  await reach(dialog().getByLabel('Template'))
  await reach(dialog().getByLabel('Subject'))
  await press('ControlOrMeta+a')
  await type('Hello ')
  await reach(dialog().getByRole('button', { name: 'customer_name', exact: true }))
  await press('Enter')
  await expect.poll(() => dialog().getByLabel('Subject').inputValue()).toBe('Hello {{ customer_name }}')
  await reach(dialog().getByRole('radio', { name: 'Edit' }), 'Shift+Tab')
  await press('ArrowRight')
  await dialog()
    .getByRole('region', { name: 'Preview' })
    .getByText(/^Hello /)
    .waitFor({ timeout: 30_000 })
  await next('Schedule & Send')
  await reach(dialog().getByLabel('Start date'))
  const [year, month, day] = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10).split('-')
  await type(`${month}${day}${year}`)
  await dialog()
    .getByText(/^Runs once on /)
    .waitFor()
  await reach(button('Create Campaign'))
  await press('Enter')
  await said('Campaign created.')
  await dialog().waitFor({ state: 'detached' })
  await row(name).getByText('Scheduled').waitFor()
})

test.each([
  ['in words of its own', { error: 'In its own words.', code: 'unprocessable' }, 422, 'In its own words.'],
  ['and says nothing', { error: 'x', code: 'internal' }, 500, 'Failed to fetch campaigns. Please try again later.'],
])('a list that the server refuses %s has the heading, the sentence and another try', async (_name, json, status, text) => {
  // A live connection asks again by itself when it is there, and Retry would be gone before it is pressed.
  await page.route('**/socket.io/**', (route) => route.abort())
  await page.route('**/api/campaigns?*', (route) => route.fulfill({ status, json }))
  await openList()
  await page.getByText('Failed to load campaigns', { exact: true }).waitFor()
  await page.getByText(text, { exact: true }).waitFor()
  await page.unroute('**/api/campaigns?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await row('Quick Send - ').waitFor()
  await page.unroute('**/socket.io/**')
})

test('on a phone the tab of a campaign that one is on is in sight', async () => {
  await page.goto(`${instance.url}/campaigns`)
  await page
    .getByRole('link', { name: /^Quick Send - / })
    .first()
    .click()
  await page.waitForURL('**/campaigns/*')
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${page.url()}?tab=report`)
  const tabs = page.getByRole('navigation', { name: 'Campaign' })
  const current = tabs.getByRole('link', { name: 'Report' })
  await current.waitFor()
  const isInSight = async () => {
    const [row, tab] = [(await tabs.boundingBox())!, (await current.boundingBox())!]
    return tab.x >= row.x && tab.x + tab.width <= row.x + row.width + 1
  }
  await expect.poll(isInSight).toBe(true)
})
