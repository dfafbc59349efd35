import { useForm } from '@mantine/form'
import type { StoreView } from '../../shared/stores.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { useSaveSettings } from './queries.ts'
import { checkSettings, type SettingsForm } from './rules.ts'

/** The store's settings as a form; a tab shows some of them and saves all, the others as they are. */
export function useSettingsForm(store: StoreView) {
  const save = useSaveSettings()
  const form = useForm<SettingsForm>({ initialValues: formOf(store), validate: checkSettings })
  const submit = () => {
    if (form.validate().hasErrors) return
    save.mutate(form.values, {
      onSuccess: ({ store: saved }) => {
        form.setInitialValues(formOf(saved))
        form.setValues(formOf(saved))
        announce('Settings saved')
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    })
  }
  const discard = () => {
    save.reset()
    form.reset()
  }
  return { form, save, submit, discard }
}

const formOf = (store: StoreView): SettingsForm => ({
  senderName: store.senderName,
  senderEmail: store.senderEmail ?? '',
  postalAddress: store.postalAddress,
  abandonmentTimeoutMinutes: store.abandonmentTimeoutMinutes,
})
