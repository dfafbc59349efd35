import type { z } from 'zod'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { confirmUnsubscribe, readUnsubscribe, undoUnsubscribe } from '../../../shared/delivery/restore.ts'
import { call } from '../../core/api/api.ts'
import { shopperCopy } from './copy.ts'
import { type Child, h } from './dom.ts'
import { chooseBrowserLocale, getPageLanguage } from './languages.ts'
import {
  askPatiently,
  buildHeading,
  buildLanguages,
  buildMissing,
  describeError,
  isTestLink,
  showPage,
} from './page.ts'
import { buildButton, buildNotice } from './parts.ts'

type About = z.output<typeof readUnsubscribe.reply>

interface State {
  about: About | null
  chosen: Language | null
  isChanging: boolean
  error: Error | null
}

/** Opening it changes nothing: mail scanners follow links; only the button unsubscribes (C3). */
export function openUnsubscribe(token: string): void {
  let state: State = { about: null, chosen: null, isChanging: false, error: null }
  const set = (patch: Partial<State>) => {
    state = { ...state, ...patch }
    show()
  }
  const request = { params: { token }, isAnonymous: true }
  const load = async () => {
    set({ error: null })
    if (token === '' || isTestLink(token)) return
    try {
      set({ about: await askPatiently(() => call(readUnsubscribe, request)) })
    } catch (error) {
      set({ error: error as Error })
    }
  }
  const change = async (about: About) => {
    set({ isChanging: true, error: null })
    try {
      const { isUnsubscribed } = about.isUnsubscribed
        ? await call(undoUnsubscribe, request)
        : await call(confirmUnsubscribe, request)
      set({ about: { ...about, isUnsubscribed }, isChanging: false })
    } catch (error) {
      set({ error: error as Error, isChanging: false })
    }
  }
  const show = () => {
    const { about, chosen, error } = state
    const language = chosen ?? about?.language ?? getPageLanguage(chooseBrowserLocale(navigator.languages))
    const title = shopperCopy[language].unsubscribe
    showPage(
      { title, size: 480, language, shop: about && { name: about.storeName, url: null, brand: about.brand } },
      about
        ? buildChoice(about, { ...state, language, onChange: () => void change(about) })
        : buildMissing({ token, title, language, error, onRetry: () => void load() }),
      buildLanguages(language, (next) => set({ chosen: next })),
    )
  }
  void load()
}

interface ChoiceOptions extends Pick<State, 'isChanging' | 'error'> {
  language: Language
  onChange: () => void
}

function buildChoice(about: About, { language, isChanging, error, onChange }: ChoiceOptions): Child {
  const { storeName, address, isUnsubscribed, preferencesToken } = about
  const copy = shopperCopy[language]
  const who = h('strong', {}, address)
  const sentence = isUnsubscribed
    ? [who, copy.done[0], storeName, copy.done[1]]
    : [copy.ask[0], storeName, copy.ask[1], who, copy.ask[2]]
  return [
    buildHeading(isUnsubscribed ? copy.isUnsubscribed : copy.unsubscribe),
    h('p', { role: 'status' }, sentence),
    error && buildNotice('bad', { isLive: true }, describeError(error, language)),
    isUnsubscribed
      ? h(
          'div',
          {},
          h('p', { class: 'hint' }, copy.byMistake),
          buildButton(copy.subscribeAgain, { look: 'quiet', isWorking: isChanging, onPress: onChange }),
        )
      : buildButton(copy.unsubscribe, { isWorking: isChanging, onPress: onChange }),
    h('a', { class: 'more', href: `/preferences?token=${encodeURIComponent(preferencesToken)}` }, copy.preferences),
  ]
}
