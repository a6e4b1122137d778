import { Reflector } from '@nestjs/core';
import type { Role } from './principal.ts';

/** The role that an operation needs; roles above it may call it, too. */
export const Roles = Reflector.createDecorator<Role>();
