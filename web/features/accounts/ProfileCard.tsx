import { Button, Card, Group, Modal, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { authTexts, type User } from '../../../shared/access/auth.ts'
import { cancelEmailChange, changeEmail, renameAccount, saveProfile } from '../../../shared/workspace/account.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useHasPermission, useInstance } from '../../core/access/queries.ts'
import { ApiError, call, hasFieldError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { useRefreshMe } from './account-queries.ts'
import { showPassword } from './fields.ts'
import { SubmitButton, useWait } from './wait.tsx'

const RENAMED = 'Shown to your team and to people you invite'

/** The user's name and address, and the name of the current account. */
export function ProfileCard({ user }: { user: User }) {
  const { form, save, submit, discard } = useProfileForm(user)
  const mayRename = useHasPermission('team:write')
  return (
    <>
      <Card>
        <Title order={2} mb="md">
          Profile
        </Title>
        <Stack gap="md">
          <TextInput label="Your name" name="name" autoComplete="name" {...form.getInputProps('name')} />
          <Email user={user} />
          <TextInput
            label="Account name"
            description={mayRename ? RENAMED : 'Only the owner or an admin can change it'}
            name="account"
            autoComplete="organization"
            disabled={!mayRename}
            {...form.getInputProps('accountName')}
          />
        </Stack>
      </Card>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        problem={save.error && <NotSaved>{save.error.message}</NotSaved>}
        onSave={submit}
        onDiscard={discard}
      />
    </>
  )
}

function useProfileForm({ name, accountName }: User) {
  const save = useSaveProfile()
  const form = useForm({
    initialValues: { name, accountName },
    validate: {
      name: (text: string) => (text.trim() === '' ? authTexts.nameRequired : null),
      accountName: (text: string) => (text.trim() === '' ? authTexts.nameRequired : null),
    },
  })
  useDraft(`profile:${accountName}`, form.isDirty() ? form.values : null, form.setValues)
  const submit = () => {
    if (form.validate().hasErrors) return
    const saved = { name: form.values.name.trim(), accountName: form.values.accountName.trim() }
    const changed = {
      ...(form.isDirty('name') && { name: saved.name }),
      ...(form.isDirty('accountName') && { accountName: saved.accountName }),
    }
    save.mutate(changed, {
      onSuccess: () => {
        form.setInitialValues(saved)
        form.setValues(saved)
        announce('Profile saved')
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

function Email({ user }: { user: User }) {
  const [isChanging, setChanging] = useState(false)
  const cancel = useCancelEmailChange()
  const hasMailbox = useInstance()?.mail === 'mailbox'
  return (
    <div>
      <Text fz="sm" fw={550} mb={3} component="div">
        Email
      </Text>
      <Group gap="sm" justify="space-between">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {user.email}
          {!user.isEmailConfirmed && (
            <Text span c="dimmed" fz="sm">
              {' '}
              (not confirmed yet)
            </Text>
          )}
        </Text>
        {!user.isDemo && (
          <Button variant="default" size="xs" onClick={() => setChanging(true)}>
            Change email
          </Button>
        )}
      </Group>
      {user.pendingEmail && (
        <Stack gap="xs" mt="sm">
          <Notice tone="info" isLive>
            {hasMailbox ? 'The link for ' : 'We have sent a link to '}
            <strong>{user.pendingEmail}</strong>
            {hasMailbox && ' is in this server’s built-in mailbox'}. Your address changes once you open it.{' '}
            <Button
              size="compact-xs"
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined, { onError: (error) => announce(error.message, 'bad') })}
            >
              Keep old address
            </Button>
          </Notice>
        </Stack>
      )}
      <EmailDialog opened={isChanging} onClose={() => setChanging(false)} />
    </div>
  )
}

function EmailDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
  const failure = wait.isOver(change.error) || hasFieldError(change.error as ApiError | null) ? null : change.error
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

/** User name and account name; each is sent only if it changed. */
function useSaveProfile() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: async ({ name, accountName }: { name?: string; accountName?: string }) => {
      if (name !== undefined) await call(saveProfile, { body: { name } })
      if (accountName !== undefined) await call(renameAccount, { body: { name: accountName } })
    },
    onSettled: refresh,
  })
}

function useChangeEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => call(changeEmail, { body }),
    onSuccess: refresh,
  })
}

function useCancelEmailChange() {
  const refresh = useRefreshMe()
  return useMutation({ mutationFn: () => call(cancelEmailChange), onSuccess: refresh })
}
