import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { ofTheLiveConnection } from './notifications/live.ts'
import { ofTheMails } from './notifications/mails.ts'
import { ofThePanel } from './notifications/panel.ts'
import { begin, end, forgetAll } from './notifications/scene.ts'
import { ofTheScreen } from './notifications/screen.ts'
import { ofTheSettings } from './notifications/settings.ts'
import { ofTheStores } from './notifications/stores.ts'
import { ofTheTimers } from './notifications/timers.ts'

// What an owner is told: the bell, the screen, two members in two browsers, and the connection that comes and goes.

beforeAll(begin)
afterAll(end)
beforeEach(() => forgetAll())

describe('the bell (A 2.11, 4.6)', ofThePanel)
describe('its timers (A 4.6, 8)', ofTheTimers)
describe('two members and two browsers (A 7, decision 68)', ofTheLiveConnection)
describe('the screen (B 2, decision 70)', ofTheScreen)
describe('the settings (decision 65)', ofTheSettings)
describe('several stores', ofTheStores)
describe('its mails (decision 65)', ofTheMails)
