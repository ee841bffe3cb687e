alter table api_keys
  -- The id of the user who made the key, or 'operator'. Null: the key was made before this column existed.
  add column made_by text;
