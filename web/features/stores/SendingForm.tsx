import { Card, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useHasPermission, useMe } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { SettingsOutcome } from './SettingsOutcome.tsx'
import { useSettingsForm } from './useSettingsForm.ts'

export function SendingForm({ store }: { store: StoreView }) {
  const { form, save, clashes, submit, discard } = useSettingsForm(store)
  const isFixed = !useHasPermission('flows:switch')
  const isDemo = useMe()?.isDemo === true
  return (
    <>
      <Card>
        <Title order={2}>Sender</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          By law, marketing emails must name their sender. A flow can be switched on once the sender name and postal
          address are set.
        </Text>
        <Stack gap="md">
          {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
          {isDemo && <Notice tone="info">In the demo the sender cannot be changed.</Notice>}
          <SenderFields form={form} storeName={store.name} isDisabled={isFixed || isDemo} />
        </Stack>
      </Card>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        isDisabled={isFixed || isDemo}
        problem={save.error && <SettingsOutcome save={save} clashes={clashes} />}
        onSave={submit}
        onDiscard={discard}
      />
    </>
  )
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
        description="Where replies go (Reply-To). If empty, replies go to the From address, which is set under Mail server."
        type="email"
        disabled={isDisabled}
        autoComplete="email"
        {...form.getInputProps('senderEmail')}
      />
      <Textarea
        label="Postal address"
        description="Shown in the footer of every email"
        autosize
        minRows={2}
        disabled={isDisabled}
        {...form.getInputProps('postalAddress')}
      />
    </>
  )
}
