import { Textarea, TextInput } from '@mantine/core'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useHasPermission, useMe } from '../../core/access/queries.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { SettingCard } from '../../core/ui/SettingCard.tsx'
import { SettingsOutcome } from './SettingsOutcome.tsx'
import { useSettingsForm } from './useSettingsForm.ts'

export function SendingForm({ store }: { store: StoreView }) {
  const { form, save, clashes, submit, discard } = useSettingsForm(store)
  const isFixed = !useHasPermission('flows:switch')
  const isDemo = useMe()?.isDemo === true
  return (
    <>
      <SettingCard
        title="Sender"
        about="Marketing emails must name their sender by law. Flows need the sender name and postal address."
      >
        {isFixed && !isDemo && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
        {isDemo ? (
          <Facts
            entries={[
              ['Sender name', store.senderName || '–'],
              ['Sender email', store.senderEmail || '–'],
              [
                'Postal address',
                <span key="address" className="keeps-lines">
                  {store.postalAddress || '–'}
                </span>,
              ],
            ]}
          />
        ) : (
          <SenderFields form={form} storeName={store.name} isDisabled={isFixed} />
        )}
      </SettingCard>
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
        description="Replies go here. If empty, they go to the From address under Mail server."
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
