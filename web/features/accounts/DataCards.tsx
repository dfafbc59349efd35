import { Button, Card, Group, List, Modal, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../shared/access/auth.ts'
import { authTexts } from '../../../shared/access/auth.ts'
import { hasPermission } from '../../../shared/access/roles.ts'
import { DELETE_WORD, deleteAccount } from '../../../shared/workspace/account.ts'
import { leaveTeam } from '../../../shared/workspace/team.ts'
import { ApiError, call, hasFieldError } from '../../core/api/api.ts'
import { endSession as forgetSession } from '../../core/session/session.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { SettingLine } from '../../core/ui/SettingCard.tsx'
import { useExport } from './account-queries.ts'
import { showPassword } from './fields.ts'
import { isLastOwner } from './rules.ts'
import { useTeam } from './team-queries.ts'
import { SubmitButton, useWait } from './wait.tsx'

export function ExportCard({ user }: { user: User }) {
  const download = useExport()
  if (!hasPermission(user.role, 'account:export')) return null
  return (
    <SettingLine
      title="Export my data"
      about="Everything in this account as a zip of JSON Lines files, without keys and passwords."
    >
      <Stack gap="sm" align="flex-start">
        <DownloadButton label="Download my data" isBusy={download.isPending} onClick={() => download.mutate()} />
        {download.isSuccess && (
          <Notice tone="good" isLive>
            Your download has started.
          </Notice>
        )}
        {download.error && (
          <Notice tone="bad" isLive>
            {download.error.message}
          </Notice>
        )}
      </Stack>
    </SettingLine>
  )
}

export function LeaveCard({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  const leave = useLeaveTeam()
  const forget = useForgetAccount()
  const members = useTeam().data?.members
  if (user.isDemo || !members) return null
  const mayLeave = !isLastOwner(user.role, members)
  return (
    <Card>
      <Title order={2}>Leave this account</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {mayLeave
          ? `You lose access to ${user.accountName}. Its stores keep running.`
          : 'You are its only owner. Make someone else an owner first, or delete the account.'}
      </Text>
      {mayLeave && (
        <Button variant="default" w="fit-content" onClick={() => setAsking(true)}>
          Leave {user.accountName}
        </Button>
      )}
      <Confirm
        opened={isAsking}
        title={`Leave ${user.accountName}?`}
        confirmLabel="Leave"
        isDangerous
        isBusy={leave.isPending}
        problem={leave.error?.message}
        onConfirm={() => leave.mutate(undefined, { onSuccess: forget })}
        onClose={() => setAsking(false)}
      >
        Only an owner or admin can invite you again. If this is your only account, your sign-in is deleted with it.
      </Confirm>
    </Card>
  )
}

export function DeleteCard({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  if (!hasPermission(user.role, 'account:delete') || user.isDemo) return null
  return (
    <Card>
      <Title order={2}>Delete account</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Sending stops, the subscription ends and all data is deleted. This cannot be undone: export your data first.
      </Text>
      <Button color="red" variant="outline" w="fit-content" onClick={() => setAsking(true)}>
        Delete account
      </Button>
      <DeleteDialog opened={isAsking} user={user} onClose={() => setAsking(false)} />
    </Card>
  )
}

interface Props {
  opened: boolean
  user: User
  onClose: () => void
}

function DeleteDialog({ opened, user, onClose }: Props) {
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
  const failure = wait.isOver(remove.error) || hasFieldError(remove.error as ApiError | null) ? null : remove.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <List fz="sm" spacing={6}>
          <List.Item>
            Right now: nothing more is sent{stores > 0 && ` for your ${formatCounted(stores, 'store')}`}, and the
            subscription ends.
          </List.Item>
          <List.Item>Right now: you and your team are signed out for good.</List.Item>
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

function useDeleteAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { confirmation: string; password: string }) => call(deleteAccount, { body }),
    // In the mutation, because the dialog may be unmounted: another refused call may have ended the session first.
    onSuccess: () => {
      forgetSession('deleted')
      queries.clear()
    },
  })
}

/** After leaving the account, remove all of its data from this browser. */
function useForgetAccount() {
  const queries = useQueryClient()
  return () => {
    forgetSession('left')
    queries.clear()
  }
}

const useLeaveTeam = () => useMutation({ mutationFn: () => call(leaveTeam) })
