import { declareError } from '../api/errors/declare-error.js';

// $errors$
