import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { findSettingProblems } from '../../../shared/access/store-settings.ts'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { connectionQuery } from '../../core/access/queries.ts'
import { ApiError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { useSaveSettings } from './queries.ts'
import { findChanges, type MergedSettings, mergeSettings, type SettingsForm, toSettingsForm } from './rules.ts'

/** The store's settings as a form; each tab shows some of them, and only changes are saved. */
export function useSettingsForm(store: StoreView) {
  const queries = useQueryClient()
  const save = useSaveSettings()
  const [base, setBase] = useState(store)
  const [clashes, setClashes] = useState<MergedSettings['clashes'] | null>(null)
  const form = useForm<SettingsForm>({ initialValues: toSettingsForm(store), validate: findSettingProblems })
  const take = (next: StoreView, values: SettingsForm) => {
    setBase(next)
    form.setInitialValues(toSettingsForm(next))
    form.setValues(values)
  }
  const typed = findChanges(toSettingsForm(base), form.getValues())
  useDraft(`settings:${store.id}`, form.isDirty() ? typed : null, (mine) =>
    form.setValues({ ...toSettingsForm(store), ...mine }),
  )
  // After a refetch or a save in another tab, untouched fields take the new values.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer state of the store is what triggers it
  useEffect(() => {
    if (store.settingsVersion === base.settingsVersion || form.isDirty() || save.isPending) return
    take(store, toSettingsForm(store))
  }, [store])
  const meet = async () => {
    const answer = await queries.fetchQuery({ ...connectionQuery, staleTime: 0 })
    if (!answer.store) return
    const merged = mergeSettings(toSettingsForm(base), form.getValues(), toSettingsForm(answer.store))
    take(answer.store, merged.values)
    setClashes(merged.clashes)
  }
  const submit = () => {
    if (form.validate().hasErrors) return focusFirstError()
    const changes = findChanges(toSettingsForm(base), form.getValues())
    save.mutate(
      { ...changes, version: base.settingsVersion },
      {
        onSuccess: ({ store: saved }) => {
          take(saved, toSettingsForm(saved))
          setClashes(null)
          announce('Settings saved')
        },
        onError: (error) => {
          if (!(error instanceof ApiError)) return
          if (error.code === 'conflict') void meet()
          form.setErrors(error.fields)
          focusFirstError()
        },
      },
    )
  }
  const discard = () => {
    save.reset()
    setClashes(null)
    form.reset()
  }
  return { form, save, clashes, submit, discard }
}
