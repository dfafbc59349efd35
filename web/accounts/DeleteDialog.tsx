import { Button, Group, List, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { DELETE_WORD } from '../../shared/account.ts'
import { authTexts, type User } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { formatCounted } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { useDeleteAccount } from './account-queries.ts'
import { isSaidAtField, showPassword } from './fields.ts'
import { SubmitButton, useWait } from './wait.tsx'

interface Props {
  opened: boolean
  user: User
  onClose: () => void
}

export function DeleteDialog({ opened, user, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Delete ${user.accountName}?`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <DeleteForm user={user} onClose={onClose} />
    </Modal>
  )
}

function DeleteForm({ user, onClose }: Omit<Props, 'opened'>) {
  const wait = useWait()
  const remove = useDeleteAccount()
  const form = useForm({
    initialValues: { confirmation: '', password: '' },
    validate: { password: (text: string) => (text === '' ? authTexts.passwordRequired : null) },
  })
  const isTyped = form.values.confirmation.trim().toLowerCase() === DELETE_WORD
  const submit = form.onSubmit((values: { confirmation: string; password: string }) =>
    remove.mutate(values, {
      onError: (error) => {
        wait.note(error)
        if (error instanceof ApiError) form.setErrors(error.fields)
      },
    }),
  )
  const stores = user.stores.filter((store) => store.isActive).length
  const failure = wait.isOver(remove.error) || isSaidAtField(remove.error as ApiError | null) ? null : remove.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <List fz="sm" spacing={6}>
          <List.Item>
            Right now: nothing more is sent{stores > 0 && ` for your ${formatCounted(stores, 'store')}`}, open messages
            are cancelled, and the subscription ends.
          </List.Item>
          <List.Item>Right now: you and your whole team are signed out and cannot sign in to it again.</List.Item>
          <List.Item>Within minutes: all carts, orders, customers, messages and settings are deleted.</List.Item>
        </List>
        <Text fz="sm" fw={550}>
          This cannot be undone, not even by us.
        </Text>
        <TextInput
          label={`Type “${DELETE_WORD}” to confirm`}
          name="confirmation"
          autoComplete="off"
          autoCapitalize="none"
          data-autofocus
          {...form.getInputProps('confirmation')}
        />
        <PasswordInput
          label="Your password"
          name="password"
          autoComplete="current-password"
          {...showPassword}
          {...form.getInputProps('password')}
        />
        {failure && (
          <Notice tone="bad" isLive>
            {failure.message}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton
            label="Delete permanently"
            isBusy={remove.isPending}
            waitS={wait.waitS}
            size="sm"
            color="red"
            disabled={!isTyped}
          />
        </Group>
      </Stack>
    </form>
  )
}
