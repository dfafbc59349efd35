import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { authTexts } from '../../shared/auth.ts'
import { useInstance } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { useChangeEmail } from './account-queries.ts'
import { isSaidAtField, showPassword } from './fields.ts'
import { SubmitButton, useWait } from './wait.tsx'

export function EmailDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const instance = useInstance()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Change your email"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {instance?.mail === 'none' ? (
        <NoMailServer supportEmail={instance.supportEmail} />
      ) : (
        <EmailForm onClose={onClose} />
      )}
    </Modal>
  )
}

/**
 * The link proves that the new address is the user's. Without a mail server there is no link, so the address cannot
 * change.
 */
function NoMailServer({ supportEmail }: { supportEmail: string }) {
  return (
    <Notice tone="warn">
      {authTexts.emailLinkUnsendable}: {supportEmail}.
    </Notice>
  )
}

function EmailForm({ onClose }: { onClose: () => void }) {
  const isMailbox = useInstance()?.mail === 'mailbox'
  const wait = useWait()
  const change = useChangeEmail()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (text: string) => (text.trim() === '' ? authTexts.emailRequired : null),
      password: (text: string) => (text === '' ? authTexts.passwordRequired : null),
    },
  })
  const submit = form.onSubmit((values: { email: string; password: string }) =>
    change.mutate(values, {
      onSuccess: ({ message }) => {
        announce(message)
        onClose()
      },
      onError: (error) => {
        wait.note(error)
        if (error instanceof ApiError) form.setErrors(error.fields)
      },
    }),
  )
  const required = { required: true, withAsterisk: false }
  const failure = wait.isOver(change.error) || isSaidAtField(change.error as ApiError | null) ? null : change.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          {isMailbox
            ? 'The link to the new address and the notice to the old one go to this server’s built-in mailbox.'
            : 'We send a link to the new address and a notice to the old one.'}{' '}
          Nothing changes until you open the link.
        </Text>
        <TextInput
          label="New email"
          name="new-email"
          type="email"
          autoComplete="email"
          data-autofocus
          {...required}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Your password"
          name="password"
          autoComplete="current-password"
          {...required}
          {...showPassword}
          key={form.key('password')}
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
          <SubmitButton label="Send link" isBusy={change.isPending} waitS={wait.waitS} size="sm" />
        </Group>
      </Stack>
    </form>
  )
}
