import {
  channelNames,
  type Language,
  type PreferenceChannel,
  type PreferenceReason,
  type PreferencesView,
  preferenceReasons,
} from '../../../shared/delivery/preferences.ts'
import { type ShopperCopy, shopperCopy } from './copy.ts'
import { type Child, h } from './dom.ts'
import { buildHeading } from './page.ts'
import { buildButton, buildNotice } from './parts.ts'

export interface Choice {
  /** The switches that were changed. */
  channels: Partial<Record<PreferenceChannel, boolean>>
  isPushOff: boolean
  reason: PreferenceReason | null
  note: string
}

export const NO_CHOICE: Choice = { channels: {}, isPushOff: false, reason: null, note: '' }

interface Form {
  view: PreferencesView
  language: Language
  choice: Choice
  isSaving: boolean
  error: string | null
  outcome: 'saved' | 'nothingChanged' | 'stopped' | null
  onChoose: (choice: Choice) => void
  onSave: (isStopAll: boolean) => void
}

export const hasChanged = ({ channels }: PreferencesView, choice: Choice): boolean =>
  choice.isPushOff || channels.some(({ channel, isOn }) => (choice.channels[channel] ?? isOn) !== isOn)

/** The form itself, also shown in the owner's preview. */
export function buildPreferencesForm(form: Form): HTMLElement {
  const { view, language, choice, isSaving, error, outcome, onChoose, onSave } = form
  const copy = shopperCopy[language]
  const wording = view.wordings[language]
  const isUnsubscribing =
    choice.isPushOff || view.channels.some(({ channel, isOn }) => isOn && choice.channels[channel] === false)
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isSaving) onSave(false)
  }
  return h(
    'form',
    { onsubmit: submit },
    h('div', {}, buildHeading(wording.headline), h('p', {}, wording.intro)),
    h(
      'fieldset',
      { class: 'preference-list', disabled: isSaving },
      h('legend', {}, copy.channels),
      view.channels.map((each) =>
        buildSwitch({
          id: each.channel,
          label: channelNames[language][each.channel],
          isOn: choice.channels[each.channel] ?? each.isOn,
          isFixed: each.lock !== null,
          about: [
            wording[each.channel],
            `${copy.to}: ${each.address}`,
            each.isPending && h('strong', {}, copy.pending),
            each.lock && h('strong', {}, copy.lock[each.lock]),
          ],
          onSwitch: (isOn) => onChoose({ ...choice, channels: { ...choice.channels, [each.channel]: isOn } }),
        }),
      ),
      // Can only be switched off: browsers grant permission on the shop's pages.
      view.browsers > 0 &&
        buildSwitch({
          id: 'push',
          label: copy.push,
          isOn: !choice.isPushOff,
          about: [copy.pushAbout, copy.pushIn(view.browsers), copy.pushAgain],
          onSwitch: (isOn) => onChoose({ ...choice, isPushOff: !isOn }),
        }),
    ),
    isUnsubscribing && buildReason(copy, choice, onChoose),
    error && buildNotice('bad', { isLive: true }, error),
    outcome && !error && buildNotice('good', { isLive: true }, copy[outcome]),
    buildButton(copy.save, { type: 'submit', isWorking: isSaving }),
    h(
      'div',
      { class: 'stop-all', 'data-key': 'stop-all' },
      buildButton(copy.stopAll, { look: 'quiet', isWorking: isSaving, onPress: () => onSave(true) }),
      h('p', { class: 'hint' }, copy.stopAllHint),
    ),
  )
}

interface SwitchOptions {
  id: string
  label: string
  isOn: boolean
  isFixed?: boolean
  about: Child[]
  onSwitch: (isOn: boolean) => void
}

function buildSwitch({ id, label, isOn, isFixed = false, about, onSwitch }: SwitchOptions): HTMLElement {
  const input = h('input', {
    id: `switch-${id}`,
    class: 'switch',
    type: 'checkbox',
    role: 'switch',
    disabled: isFixed,
    'aria-describedby': `about-${id}`,
    onchange: ({ currentTarget }) => onSwitch((currentTarget as HTMLInputElement).checked),
  }) as HTMLInputElement
  input.checked = isOn
  return h(
    'div',
    { class: 'preference', 'data-key': id },
    input,
    h(
      'div',
      {},
      h('label', { for: input.id }, label),
      h(
        'div',
        { id: `about-${id}`, class: 'hint' },
        about.filter(Boolean).map((each) => h('div', {}, each)),
      ),
    ),
  )
}

function buildReason(copy: ShopperCopy, choice: Choice, onChoose: (choice: Choice) => void): HTMLElement {
  const readValue = ({ currentTarget }: Event) => (currentTarget as HTMLSelectElement | HTMLTextAreaElement).value
  const pickReason = (value: string) => preferenceReasons.find((reason) => reason === value) ?? null
  return h(
    'div',
    { class: 'why', 'data-key': 'why' },
    h('label', { for: 'why' }, copy.why),
    h(
      'select',
      { id: 'why', onchange: (event) => onChoose({ ...choice, reason: pickReason(readValue(event)) }) },
      h('option', { value: '' }, copy.whyNone),
      preferenceReasons.map((value) => h('option', { value }, copy.reasons[value])),
    ),
    h('label', { for: 'note' }, copy.note),
    h('div', { id: 'about-note', class: 'hint' }, copy.noteHint),
    h('textarea', {
      id: 'note',
      rows: 2,
      maxlength: 500,
      'aria-describedby': 'about-note',
      oninput: (event) => onChoose({ ...choice, note: readValue(event) }),
    }),
  )
}
