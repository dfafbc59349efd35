import { Button, Menu, Text } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useState } from 'react'
import { mayManage, type Role, roleNames, roleText } from '../../shared/roles.ts'
import type { Member } from '../../shared/team.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { addArticle, formatRole, lowerFirst } from './rules.ts'
import { useChangeRole } from './team-queries.ts'

interface Props {
  member: Member
  own: Role
}

/**
 * Saves on selection. A menu, because arrow keys change a closed select and could make someone admin on the way to
 * viewer. Changing one's own role needs a confirmation: it may be irreversible.
 */
export function RoleMenu({ member, own }: Props) {
  const change = useChangeRole()
  const [wanted, setWanted] = useState<Role | null>(null)
  const save = (role: Role) =>
    change.mutate(
      { userId: member.userId, role },
      {
        onSuccess: ({ message }) => {
          announce(message)
          setWanted(null)
        },
        onError: (error) => {
          if (!member.isYou) announce(error.message, 'bad')
        },
      },
    )
  const choose = (role: Role) => {
    if (role === member.role) return
    if (member.isYou) setWanted(role)
    else save(role)
  }
  return (
    <>
      <Menu position="bottom-end" width={300} shadow="md" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            rightSection={<IconSelector size={14} aria-hidden />}
            aria-label={`Role of ${member.name}: ${member.role}`}
          >
            {formatRole(member.role)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {roleNames
            .filter((role) => mayManage(own, role))
            .map((role) => (
              <Menu.Item
                key={role}
                aria-current={role === member.role}
                rightSection={role === member.role && <IconCheck size={16} aria-label="current" />}
                onClick={() => choose(role)}
              >
                {formatRole(role)}
                <Text span display="block" fz="xs" c="dimmed">
                  {roleText[role]}
                </Text>
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={wanted !== null}
        title="Change your own role?"
        confirmLabel="Change my role"
        isDangerous
        isBusy={change.isPending}
        problem={change.error?.message}
        onConfirm={() => save(wanted!)}
        onClose={() => {
          change.reset()
          setWanted(null)
        }}
      >
        {wanted &&
          `You become ${addArticle(wanted)}: ${lowerFirst(roleText[wanted])}. Only someone else can change your role back.`}
      </Confirm>
    </>
  )
}
