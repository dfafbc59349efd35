import { afterAll, beforeAll } from 'vitest'
import { theIntegration } from './push/integration.ts'
import { theManager } from './push/manager.ts'
import { theMethods } from './push/methods.ts'
import { begin, end } from './push/scene.ts'

// The screens of web push in a real browser. What the server tells of it is made up (`push/api.ts`), so that each way it can answer is looked
// at; only `push/methods.ts` goes to a shop, and `push-demo.firefox.test.ts` all the way to a shopper's browser and back.

beforeAll(begin)
afterAll(end)

theManager()
theIntegration()
theMethods()
