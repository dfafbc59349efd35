import type { PreferencesView } from '../../../shared/delivery/preferences.ts'
import { type Language, readPreferences, savePreferences } from '../../../shared/delivery/preferences.ts'
import { retentionPageTexts, toKeptLanguage } from '../../../shared/workspace/kept.ts'
import { call } from '../../core/api/api.ts'
import { shopperCopy } from './copy.ts'
import { h } from './dom.ts'
import { chooseBrowserLocale, getPageLanguage } from './languages.ts'
import { askPatiently, buildLanguages, buildMissing, describeError, isTestLink, showPage } from './page.ts'
import { buildPreferencesForm, type Choice, hasChanged, NO_CHOICE } from './preferences-form.ts'

interface State {
  view: PreferencesView | null
  chosen: Language | null
  choice: Choice
  isSaving: boolean
  error: Error | null
  outcome: 'saved' | 'nothingChanged' | 'stopped' | null
}

/** Shoppers choose what a shop may send them (decision 27, C5). Opening it changes nothing. */
export function openPreferences(token: string): void {
  let state: State = { view: null, chosen: null, choice: NO_CHOICE, isSaving: false, error: null, outcome: null }
  const set = (patch: Partial<State>) => {
    state = { ...state, ...patch }
    show()
  }
  const load = async () => {
    set({ error: null })
    if (token === '' || isTestLink(token)) return
    try {
      set({ view: await askPatiently(() => call(readPreferences, { params: { token }, isAnonymous: true })) })
    } catch (error) {
      set({ error: error as Error })
    }
  }
  const save = async (isStopAll: boolean, view: PreferencesView, language: Language) => {
    set({ isSaving: true, error: null, outcome: null })
    const { choice } = state
    const body = { ...choice, channels: isStopAll ? {} : choice.channels, isStopAll, language }
    try {
      const saved = await call(savePreferences, { params: { token }, body, isAnonymous: true })
      const outcome = isStopAll ? 'stopped' : hasChanged(view, choice) ? 'saved' : 'nothingChanged'
      set({ view: saved, choice: NO_CHOICE, isSaving: false, outcome })
    } catch (error) {
      // The choices stay.
      set({ error: error as Error, isSaving: false })
    }
  }
  const show = () => {
    const { view, chosen, error, ...form } = state
    const language = chosen ?? view?.language ?? getPageLanguage(chooseBrowserLocale(navigator.languages))
    const { title } = shopperCopy[language]
    showPage(
      { title, size: 560, language, shop: view && { name: view.storeName, url: null, brand: view.brand } },
      view
        ? [
            buildPreferencesForm({
              ...{ ...form, view, language },
              error: error && describeError(error, language),
              onChoose: (choice) => set({ choice, outcome: null }),
              onSave: (isStopAll) => void save(isStopAll, view, language),
            }),
            h(
              'a',
              { class: 'more', href: `${view.keptPath}?lang=${toKeptLanguage(language)}` },
              retentionPageTexts[toKeptLanguage(language)].title,
            ),
          ]
        : buildMissing({ token, title, language, error, onRetry: () => void load() }),
      buildLanguages(language, (next) => set({ chosen: next })),
    )
  }
  void load()
}
