import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDraft } from '../access/drafts.ts'
import { isSaidAtField } from '../accounts/fields.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { useAddSuppression } from './suppression-queries.ts'

const TEXTS = { both: ['sms', 'whatsapp'], sms: ['sms'], whatsapp: ['whatsapp'] } as const

export function AddSuppression({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Add to the suppression list"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AddForm onClose={onClose} />
    </Modal>
  )
}

function AddForm({ onClose }: { onClose: () => void }) {
  const add = useAddSuppression()
  const form = useForm<{ address: string; texts: keyof typeof TEXTS; note: string }>({
    initialValues: { address: '', texts: 'both', note: '' },
    validate: { address: (text) => (text.trim() === '' ? 'Enter an email address or a phone number.' : null) },
  })
  useDraft('suppression', form.isDirty() ? form.values : null, form.setValues)
  const submit = form.onSubmit(({ address, texts, note }) =>
    add.mutate(
      { address, channels: [...TEXTS[texts]], note },
      {
        onSuccess: ({ address: kept, added }) => {
          announce(added > 0 ? `${kept} will get no more messages.` : `${kept} is already on the list.`)
          onClose()
        },
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    ),
  )
  const isPhone = /\d/.test(form.values.address) && !/[a-z@]/i.test(form.values.address)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Email or phone number"
          name="address"
          autoComplete="off"
          data-autofocus
          description="Include the country code in a phone number, as in +1 212 555 0123"
          {...form.getInputProps('address')}
        />
        {isPhone && (
          <NativeSelect
            label="Stop"
            data={[
              { value: 'both', label: 'SMS and WhatsApp' },
              { value: 'sms', label: 'SMS only' },
              { value: 'whatsapp', label: 'WhatsApp only' },
            ]}
            {...form.getInputProps('texts')}
          />
        )}
        <TextInput
          label="Note (optional)"
          name="note"
          autoComplete="off"
          maxLength={200}
          description="For you and your team"
          {...form.getInputProps('note')}
        />
        {add.error && !isSaidAtField(add.error as ApiError) && (
          <Notice tone="bad" isLive>
            {add.error.message}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
