import { expect, test } from 'vitest'
import { buildFirstSteps, isSetupOpen } from './DashboardPage.tsx'

const store = {
  ...{ name: 'Tea & Co', store_url: 'https://tea.example', mode: 'limited' as const },
  senderName: 'Tea & Co',
  senderEmail: null,
  postalAddress: '',
  isCaptureChosen: true,
}
const streams = {}
const inMailbox = { way: 'mailbox' as const, acceptedAt: null, isFixed: false }
const accepted = { way: 'own' as const, acceptedAt: '2026-03-02T15:00:00Z', isFixed: false }
const open = (known: Parameters<typeof buildFirstSteps>[0]) =>
  buildFirstSteps(known).flatMap(({ title, isDone }) => (isDone ? [] : [title]))

test('lists every step as open for a new store', () => {
  expect(open({ store, health: { ageSeconds: null, streams }, flows: [{ isOn: false }], mail: inMailbox })).toEqual([
    'Import orders and products',
    'Install cart tracking',
    'Add your sender details',
    'Send yourself a test email',
    'Switch the recovery flow on',
    'Wait for the first cart',
  ])
})

test('asks a store older than the setting to choose what is stored before consent', () => {
  const older = { ...store, isCaptureChosen: false }
  expect(open({ store: older, health: undefined, flows: [], mail: accepted })).toContain(
    'Choose what is stored before consent',
  )
  const ready = { ...older, mode: 'capture' as const }
  expect(isSetupOpen({ store: ready, flows: [{ isOn: true }], mail: accepted })).toBe(true)
})

test('ticks finished steps, but not those that failed to load', () => {
  const ready = { ...store, mode: 'capture' as const, postalAddress: '1 Main Street' }
  expect(open({ store: ready, health: { ageSeconds: 4, streams }, flows: [{ isOn: true }], mail: accepted })).toEqual([
    'Wait for the first cart',
  ])
  expect(open({ store: ready, health: undefined, flows: undefined, mail: undefined })).toContain(
    'Switch the recovery flow on',
  )
})

test('explains that an unreachable shop imports nothing', () => {
  const describeStep = (ageSeconds: number | null, isReported = true) =>
    buildFirstSteps({ store, health: { ageSeconds, isReported, streams }, flows: [], mail: undefined })[1]!
  expect(describeStep(null)).toMatchObject({ isDone: false, text: expect.stringContaining('first report of orders') })
  expect(describeStep(4)).toMatchObject({
    title: 'Receive orders from the plugin',
    isDone: true,
    text: expect.stringContaining('reads nothing else until the shop answers'),
  })
  expect(describeStep(4, false).text).toContain('reports are incomplete')
})

test('says that the first import failed instead of running', () => {
  const failed = { completedAt: null, failedAt: null, problem: 'No answer.', rowsSeen: 0, isRunning: false }
  const health = { ageSeconds: null, streams: { sweep: failed } }
  const step = buildFirstSteps({ store, health, flows: [], mail: undefined })[1]!
  expect(step).toMatchObject({ isDone: false, text: expect.stringMatching(/first import failed.*No answer\.$/) })
})

test('counts only a test mail accepted by a mail server; the demo needs none', () => {
  const step = (mail: typeof inMailbox) =>
    buildFirstSteps({ store, health: undefined, flows: [], mail }).find(
      ({ title }) => title === 'Send yourself a test email',
    )
  expect(step(inMailbox)).toMatchObject({ isDone: false, text: expect.stringContaining('no email reaches') })
  expect(step(inMailbox)!.link!.label).toBe('Set up a mail server')
  expect(step({ ...inMailbox, way: 'own' as never })).toMatchObject({ isDone: false })
  expect(step({ ...inMailbox, isFixed: true })).toBeUndefined()
})

test('shows the steps above the figures until flow, script and a real test mail are ready, even in a shop with old carts', () => {
  const captureStore = { ...store, mode: 'capture' as const }
  const on = [{ isOn: false }, { isOn: true }]
  expect(isSetupOpen({ store: captureStore, flows: on, mail: accepted })).toBe(false)
  expect(isSetupOpen({ store, flows: on, mail: accepted })).toBe(true)
  expect(isSetupOpen({ store: captureStore, flows: [{ isOn: false }], mail: accepted })).toBe(true)
  expect(isSetupOpen({ store: captureStore, flows: on, mail: inMailbox })).toBe(true)
  expect(isSetupOpen({ store, flows: [], mail: { ...inMailbox, isFixed: true } })).toBe(false)
  expect(isSetupOpen({ store, flows: undefined, mail: undefined })).toBe(false)
  const known = { store: captureStore, health: undefined, flows: on, mail: accepted }
  expect(buildFirstSteps({ ...known, hasCarts: true }).at(-1)).toMatchObject({ isDone: true })
})

test('does not ask for the script if the plugin reports carts, before and after the first cart', () => {
  const byPlugin = { ...store, mode: 'plugin' as const }
  const step = buildFirstSteps({ store: byPlugin, health: undefined, flows: [], mail: undefined })[2]
  expect(step).toMatchObject({ title: 'Install cart tracking', text: 'The plugin reports carts.', isDone: true })
  expect(isSetupOpen({ store: byPlugin, flows: [{ isOn: true }], mail: accepted })).toBe(false)
})
