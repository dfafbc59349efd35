import type { PushPrompt } from './push.ts'

// The bar in which a shop’s page asks before the browser does (decision 76). It is shared, so that the app's preview
// shows the same bar.
// A shadow tree protects its parts from the shop’s styles. They use inline styles, because a shop’s content security
// policy may forbid style sheets.

export type BarSettings = Omit<PushPrompt, 'delayMs'>

interface Answers {
  accept: () => void
  decline: () => void
}

const FONT = '400 15px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
const BUTTON = 'border-radius:8px;padding:10px 16px;min-height:44px;cursor:pointer;max-width:100%;'

/** Creates the bar. `isPreview`: it stays in the document flow, and its buttons do nothing. */
export function makeBar(settings: BarSettings, answers: Answers, isPreview = false): HTMLElement {
  const host = document.createElement('div')
  host.style.cssText = isPreview
    ? 'display:block'
    : `all:initial;position:fixed;z-index:2147483000;left:0;right:0;${settings.place}:0;display:block;pointer-events:none`
  const bar = createPart(
    'section',
    `display:flex;flex-wrap:wrap;align-items:center;gap:12px 16px;${buildBoxStyle(settings)}`,
  )
  bar.setAttribute('aria-label', settings.title)
  const textBox = createPart('div', 'flex:1 1 240px;min-width:0;overflow-wrap:anywhere')
  textBox.append(
    createPart('p', 'margin:0;font-weight:600', settings.title),
    createPart('p', 'margin:2px 0 0', settings.text),
  )
  const buttons = createPart('div', 'display:flex;flex-wrap:wrap;gap:8px;max-width:100%')
  const decline = `${BUTTON}font:${FONT};background:transparent;color:${settings.color};border:1px solid ${settings.color}`
  const accept = `${BUTTON}font:${FONT};font-weight:600;background:${settings.button};color:${settings.buttonColor};border:1px solid ${settings.button}`
  buttons.append(
    createButton(settings.decline, decline, answers.decline),
    createButton(settings.accept, accept, answers.accept),
  )
  bar.append(textBox, buttons)
  bar.addEventListener('keydown', (event) => event.key === 'Escape' && answers.decline())
  host.attachShadow({ mode: 'open' }).append(bar)
  return host
}

const buildBoxStyle = ({ background, color }: BarSettings) =>
  `box-sizing:border-box;max-width:720px;margin:12px auto;padding:16px;border-radius:12px;pointer-events:auto;font:${FONT};` +
  `background:${background};color:${color};border:1px solid rgba(127,127,127,.4);box-shadow:0 8px 30px rgba(0,0,0,.2)`

function createPart(name: string, style: string, text = ''): HTMLElement {
  const element = document.createElement(name)
  element.style.cssText = style
  element.textContent = text
  return element
}

function createButton(label: string, style: string, press: () => void): HTMLElement {
  const button = createPart('button', style, label)
  button.setAttribute('type', 'button')
  button.addEventListener('click', press)
  return button
}
