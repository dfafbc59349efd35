import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { authTexts, type User } from '../../shared/auth.ts'
import { useDraft } from '../access/drafts.ts'
import { useHasPermission, useInstance } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { NotSaved } from '../ui/NotSaved.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { useCancelEmailChange, useSaveProfile } from './account-queries.ts'
import { EmailDialog } from './EmailDialog.tsx'

const RENAMED = 'Shown to your team and to people you invite'

/** The user's name and address, and the name of the current account. */
export function ProfileCard({ user }: { user: User }) {
  const { form, save, submit, discard } = useProfileForm(user)
  const mayRename = useHasPermission('team:write') && !user.isDemo
  return (
    <>
      <Card>
        <Title order={2} mb="md">
          Profile
        </Title>
        <Stack gap="md">
          <TextInput
            label="Your name"
            name="name"
            autoComplete="name"
            disabled={user.isDemo}
            {...form.getInputProps('name')}
          />
          <Email user={user} />
          <TextInput
            label="Name of the account"
            description={user.isDemo ? null : mayRename ? RENAMED : 'Only the owner or an admin can change it'}
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
