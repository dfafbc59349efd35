import { Card, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { StoreView } from '../../shared/stores.ts'
import { useMay } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { DurationInput } from '../ui/DurationInput.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { useSaveSettings } from './queries.ts'
import { checkSettings, type SettingsForm } from './rules.ts'

export function SendingForm({ store }: { store: StoreView }) {
  const { form, save, submit, discard } = useSettingsForm(store)
  const isFixed = !useMay('flows:switch')
  const { value, onChange, error } = form.getInputProps('abandonmentTimeoutMinutes')
  return (
    <>
      <Card>
        <Title order={2}>Sending</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          The law asks marketing mail to name its sender. Without a name and a postal address no flow can be switched
          on.
        </Text>
        <Stack gap="md">
          {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
          {store.isDemo && <Notice tone="info">In the demo the sender cannot be changed.</Notice>}
          <SenderFields form={form} storeName={store.name} isDisabled={isFixed || store.isDemo} />
          <DurationInput
            label="A cart counts as abandoned after"
            description="Without activity of the shopper; 15 minutes to 7 days. A flow whose first message goes earlier counts from there."
            disabled={isFixed}
            minutes={value}
            onChange={onChange}
            error={error}
          />
          {save.error && (
            <Notice tone="bad" title="Not saved" isLive>
              {save.error.message}
            </Notice>
          )}
        </Stack>
      </Card>
      <SaveBar isDirty={form.isDirty()} isSaving={save.isPending} onSave={submit} onDiscard={discard} />
    </>
  )
}

function useSettingsForm(store: StoreView) {
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

interface FieldsProps {
  form: ReturnType<typeof useSettingsForm>['form']
  storeName: string
  isDisabled: boolean
}

function SenderFields({ form, storeName, isDisabled }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Sender name"
        placeholder={storeName}
        disabled={isDisabled}
        autoComplete="organization"
        {...form.getInputProps('senderName')}
      />
      <TextInput
        label="Sender email"
        description="Replies go here. Leave empty to use this server’s own address."
        type="email"
        disabled={isDisabled}
        autoComplete="email"
        {...form.getInputProps('senderEmail')}
      />
      <Textarea
        label="Postal address"
        description="Stands at the foot of every mail"
        autosize
        minRows={2}
        disabled={isDisabled}
        {...form.getInputProps('postalAddress')}
      />
    </>
  )
}

const formOf = (store: StoreView): SettingsForm => ({
  senderName: store.senderName,
  senderEmail: store.senderEmail ?? '',
  postalAddress: store.postalAddress,
  abandonmentTimeoutMinutes: store.abandonmentTimeoutMinutes,
})
